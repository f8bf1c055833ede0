
// Draws the series of each stage with Chart.js, and shows details of the subject selected with the pointer, a finger or
// the arrow keys. The rest of the page works without it. Untrusted text is inserted only with textContent.
(function () {
  'use strict';
  var stages = JSON.parse(document.getElementById('data').textContent).stages;
  var SHAPES = { build_failed: 'rect', crashed: 'star', timeout: 'triangle' };
  var MANY = 120;  // points
  var charts = [];

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); }
  var family = getComputedStyle(document.body).fontFamily;

  // Five significant digits; an exponent only for extreme values.
  function number(x) {
    if (x === 0) { return '0'; }
    var size = Math.abs(x);
    if (size >= 1e7 || size < 1e-4) { return x.toExponential(3); }
    return String(Number(x.toPrecision(size >= 1e5 ? 7 : 5)));
  }
  function value_words(stage, x) {
    if (stage.kind === 'exact') { return x === 0 ? 'passes' : 'fails'; }
    return stage.kind === 'flaky' ? number(100 * x) + ' % fail' : number(x);
  }

  function stage_of(chart) { return stages[Number(chart.canvas.dataset.stage)]; }

  function datasets(stage) {
    var runs = [], levels = [], failed = [], aside = [];
    stage.points.forEach(function (point, i) {
      if (point.value !== undefined) { levels.push({ x: point.x, y: point.value, at: i }); }
      if (stage.kind === 'metric' && point.values.length > 1) {
        point.values.forEach(function (y) { runs.push({ x: point.x, y: y, at: i }); });
      }
      (point.aside || []).forEach(function (y) { aside.push({ x: point.x, y: y, at: i }); });
      if (point.status !== 'ok') { failed.push({ x: point.x, y: 0.04, at: i, status: point.status }); }
    });
    return [
      { label: 'subjects', data: levels, order: 1, pointRadius: stage.points.length > MANY ? 2.5 : 4,
        pointHoverRadius: 6 },
      { label: 'runs', data: runs, pointRadius: 2.5, pointHoverRadius: 2.5, order: 2 },
      { label: 'aside', data: aside, pointRadius: 3.5, pointHoverRadius: 3.5, order: 3 },
      { label: 'failed', data: failed, yAxisID: 'failed', order: 0, pointRadius: 5, pointHoverRadius: 7,
        pointStyle: failed.map(function (f) { return SHAPES[f.status] || 'crossRot'; }) }
    ];
  }

  function paint(chart) {
    var sets = chart.data.datasets;
    // Many points are drawn translucent, so that the levels stay visible.
    var many = stage_of(chart).points.length > MANY;
    sets[0].backgroundColor = colour(many ? 'run' : 'point');
    sets[0].borderColor = many ? 'transparent' : colour('point');
    sets[0].hoverBackgroundColor = sets[0].hoverBorderColor = colour('point');
    sets[1].backgroundColor = sets[1].hoverBackgroundColor = colour('run');
    sets[1].borderColor = sets[1].hoverBorderColor = 'transparent';
    sets[2].backgroundColor = sets[2].hoverBackgroundColor = 'transparent';
    sets[2].borderColor = sets[2].hoverBorderColor = colour('aside');
    sets[3].borderColor = sets[3].hoverBorderColor = colour('failed');
    sets[3].backgroundColor = sets[3].hoverBackgroundColor = 'transparent';
    sets[2].borderWidth = sets[3].borderWidth = 1.75;
    ['x', 'y'].forEach(function (name) {
      var scale = chart.options.scales[name];
      scale.ticks.color = colour('quiet');
      scale.grid.color = colour('grid');
    });
    chart.options.scales.y.title.color = colour('quiet');
    chart.update('none');
  }

  // Behind the points: levels with their intervals, the changes, and the ranges of uncertain changes.
  var background = {
    id: 'levels',
    beforeDatasetsDraw: function (chart) {
      var stage = stage_of(chart), context = chart.ctx, area = chart.chartArea;
      function x(place) { return chart.scales.x.getPixelForValue(place); }
      function y(level) { return chart.scales.y.getPixelForValue(level); }
      function between(from, to) {
        context.fillStyle = colour('unsure');
        context.fillRect(x(from), area.top, x(to) - x(from), area.bottom - area.top);
      }
      context.save();
      context.beginPath();
      context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      context.clip();
      stage.doubts.forEach(function (doubt) { between(doubt.from, doubt.to); });
      stage.changes.forEach(function (change) {
        if (!change.near) { between(change.from, change.to); }
      });
      stage.levels.forEach(function (level) {
        var left = x(level.from), right = x(level.to);
        if (level.low !== undefined) {
          context.fillStyle = colour('band');
          context.fillRect(left, y(level.high), right - left, Math.max(2, y(level.low) - y(level.high)));
        }
        context.strokeStyle = colour('level');
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(left, y(level.value));
        context.lineTo(right, y(level.value));
        context.stroke();
      });
      context.restore();
      context.save();
      context.strokeStyle = colour('change');
      context.fillStyle = colour('change');
      context.font = '600 12px ' + family;
      context.textBaseline = 'bottom';
      var taken = [];  // the right end of the last label in each row
      stage.changes.forEach(function (change) {
        var at = x((change.from + change.to) / 2), width = context.measureText(change.label).width;
        context.setLineDash([4, 3]);
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(at, area.top);
        context.lineTo(at, area.bottom);
        context.stroke();
        var left = Math.max(area.left, Math.min(at - width / 2, area.right - width)), row = 0;
        while (row < 2 && taken[row] !== undefined && taken[row] > left - 8) { row += 1; }
        if (taken[row] === undefined || taken[row] <= left - 8) {
          taken[row] = left + width;
          context.fillText(change.label, left, area.top - 3 - 14 * row);
        }
      });
      if (chart.shown !== undefined) {
        context.setLineDash([]);
        context.strokeStyle = colour('quiet');
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x(stage.points[chart.shown].x), area.top);
        context.lineTo(x(stage.points[chart.shown].x), area.bottom);
        context.stroke();
      }
      context.restore();
    }
  };

  // Removes control characters and bidirectional controls, as escape_html does in the rest of the page.
  function plain(text) {
    return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  }
  function element(name, text, kind) {
    var made = document.createElement(name);
    if (text !== undefined) { made.textContent = plain(text); }
    if (kind) { made.className = kind; }
    return made;
  }

  function tip_of(chart) { return chart.canvas.parentNode.parentNode.querySelector('.tip'); }

  function tell(chart, place) {
    var stage = stage_of(chart), point = stage.points[place], tip = tip_of(chart);
    var what = element('div', undefined, 'what'), list = element('dl');
    function fact(name, text, kind) {
      if (text === undefined || text === '') { return; }
      list.append(element('dt', name), element('dd', text, kind));
    }
    what.append(element('strong', point.label));
    if (point.value !== undefined) { what.append(element('span', value_words(stage, point.value), 'value')); }
    if (point.status !== 'ok') { what.append(element('span', point.failed, 'bad')); }
    if (stage.kind === 'flaky') {
      var fails = point.values.filter(function (x) { return x === 1; }).length;
      fact('runs', fails + ' of ' + point.values.length + ' fail');
    } else if (point.values.length > 1) {
      fact('runs', point.values.slice(0, 12).map(function (x) { return value_words(stage, x); }).join(', ') +
        (point.values.length > 12 ? ', and ' + (point.values.length - 12) + ' more' : ''));
    }
    (point.commits || []).forEach(function (commit) {
      var named = commit.short === point.label && commit.subject;
      fact(commit.repo || (named ? 'message' : 'commit'),
        named ? commit.subject : [commit.short, commit.subject].filter(Boolean).join('  '));
      fact('', [commit.author, commit.date].filter(Boolean).join(', '));
    });
    fact('image', point.image);
    fact('clocks', point.clocks);
    fact('discarded', (point.aside || []).map(number).join(', '));
    fact(point.status === 'ok' ? 'note' : 'why', point.message, 'why');
    fact(stage.thing, point.place && stage.subjects ? point.place + ' of ' + stage.subjects : undefined);
    tip.replaceChildren(what, list);
    tip.hidden = false;
    chart.shown = place;
    var docked = getComputedStyle(tip).position === 'static';
    if (!docked) {
      var at = chart.scales.x.getPixelForValue(point.x), left = at + 14;
      var box = chart.canvas.parentNode, room = box.clientWidth;
      if (left + tip.offsetWidth > room) { left = at - 14 - tip.offsetWidth; }
      tip.style.left = Math.max(0, left) + 'px';
      var level = point.value === undefined ? chart.chartArea.bottom : chart.scales.y.getPixelForValue(point.value);
      var top = Math.min(level - tip.offsetHeight / 2, box.clientHeight - tip.offsetHeight);
      tip.style.top = box.offsetTop + Math.max(0, top) + 'px';
    }
    chart.draw();
  }
  function be_silent(chart) {
    if (chart.shown === undefined) { return; }
    tip_of(chart).hidden = true;
    chart.shown = undefined;
    chart.draw();
  }

  function name_of(point) { return plain(point.label).slice(0, 24); }

  // As many names as fit on the axis, about equally far apart.
  function places_named(chart, stage) {
    var context = chart.ctx, widest = 0, places = [], count = stage.points.length;
    context.save();
    context.font = '12px ' + family;
    for (var i = 0; i < count; i += Math.ceil(count / 50)) {
      widest = Math.max(widest, context.measureText(name_of(stage.points[i])).width);
    }
    context.restore();
    var length = stage.points[count - 1].x + 1;
    var step = Math.max(1, Math.ceil(length * (widest + 24) / Math.max(1, chart.width - 90)));
    stage.points.forEach(function (point, at) {
      var last = places[places.length - 1];
      if (!last || point.x >= last.value + step) { places.push({ value: point.x, at: at }); }
    });
    return places;
  }

  function draw(canvas) {
    var stage = stages[Number(canvas.dataset.stage)], count = stage.points.length;
    var flat = stage.kind !== 'metric';
    var chart = new Chart(canvas, {
      type: 'scatter',
      data: { datasets: datasets(stage) },
      plugins: [background],
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, parsing: false,
        layout: { padding: { top: stage.changes.length > 0 ? 46 : 8, right: 6 } },
        interaction: { mode: 'nearest', axis: 'x', intersect: false },
        plugins: { legend: { display: false }, tooltip: { enabled: false, external: function (context) {
          var tooltip = context.tooltip;
          if (tooltip.opacity === 0 || !tooltip.dataPoints) { return be_silent(context.chart); }
          var place = tooltip.dataPoints[0].raw.at;
          if (context.chart.shown !== place) { tell(context.chart, place); }
        } } },
        scales: {
          x: { type: 'linear', min: -0.5, max: stage.points[count - 1].x + 0.5, border: { display: false },
            grid: { display: false, drawBorder: false },
            afterBuildTicks: function (axis) { axis.ticks = places_named(axis.chart, stage); },
            ticks: { maxRotation: 0, autoSkip: false, callback: function (x, i, ticks) {
              return name_of(stage.points[ticks[i].at]);
            } } },
          y: { grace: flat ? 0 : '10%', min: flat ? -0.15 : undefined, max: flat ? 1.15 : undefined,
            grid: { drawBorder: false }, border: { display: false }, suggestedMin: stage.low, suggestedMax: stage.high,
            title: { display: true, text: plain(stage.metric) },
            afterBuildTicks: function (axis) {
              if (stage.kind === 'exact') { axis.ticks = [{ value: 0 }, { value: 1 }]; }
              if (stage.kind === 'flaky') {
                axis.ticks = [0, 0.25, 0.5, 0.75, 1].map(function (v) { return { value: v }; });
              }
            },
            ticks: { maxTicksLimit: 7, padding: 6, callback: function (v) {
              if (stage.kind === 'flaky') { return 100 * v + ' %'; }
              return stage.kind === 'exact' ? value_words(stage, v) : number(v);
            } } },
          failed: { axis: 'y', display: false, min: 0, max: 1 }
        }
      }
    });
    charts.push(chart);
    paint(chart);
    canvas.addEventListener('keydown', function (event) {
      var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === 'Escape') { be_silent(chart); }
      if (!step) { return; }
      event.preventDefault();
      var from = chart.shown === undefined ? (step > 0 ? -1 : count) : chart.shown;
      tell(chart, Math.max(0, Math.min(count - 1, from + step)));
    });
    canvas.addEventListener('blur', function () { be_silent(chart); });
  }

  function paint_all() { charts.forEach(paint); }

  // For print: white background, everything unfolded, fixed width.
  var unfolded = [];
  function before_print() {
    if (document.documentElement.classList.contains('printing')) { return; }
    document.documentElement.classList.add('printing');
    document.querySelectorAll('details:not([open])').forEach(function (details) {
      details.open = true;
      unfolded.push(details);
    });
    charts.forEach(function (chart) {
      be_silent(chart);
      chart.options.devicePixelRatio = 3;
      chart.resize(680, chart.canvas.parentNode.classList.contains('low') ? 180 : 300);
    });
    paint_all();
  }
  function after_print() {
    document.documentElement.classList.remove('printing');
    unfolded.splice(0).forEach(function (details) { details.open = false; });
    charts.forEach(function (chart) {
      chart.options.devicePixelRatio = window.devicePixelRatio;
      chart.resize();
    });
    paint_all();
  }

  document.documentElement.classList.add('drawn');
  Chart.defaults.font.family = family;
  document.querySelectorAll('canvas[data-stage]').forEach(draw);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint_all);
  window.addEventListener('beforeprint', before_print);
  window.addEventListener('afterprint', after_print);
})();
