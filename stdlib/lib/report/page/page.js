// Draws the series of each stage with Chart.js, and shows details of the subject selected with the pointer, a finger or
// the arrow keys. The rest of the page works without it. Untrusted text is inserted only with textContent.
(function () {
  'use strict';
  var stages = JSON.parse(document.getElementById('data').textContent).stages;
  var SHAPES = { build_failed: 'rect', crashed: 'star', timeout: 'triangle' };
  var MANY = 120;  // points
  var charts = [];
  var family = getComputedStyle(document.body).fontFamily;

  // A color of the style sheet, read again whenever the chart is updated: the page may turn dark.
  function colour(name) {
    return function () { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); };
  }

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

  // Removes control characters and bidirectional controls, as escape_html does in the rest of the page.
  function plain(text) {
    return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  }

  // Between two lines of one dataset.
  function gap(x) { return { x: x, y: NaN }; }

  // The datasets, each with its name in the legend; one without data is not in it. The first one has the subjects.
  function datasets(stage) {
    var runs = [], medians = [], failed = {}, levels = [], low = [], high = [], ranges = [];
    stage.points.forEach(function (point) {
      function add(to, y) { to.push({ x: point.x, y: y }); }
      if (point.value !== undefined) { add(medians, point.value); }
      if (stage.kind === 'metric' && point.values.length > 1) { point.values.forEach(add.bind(null, runs)); }
      if (point.status !== 'ok') { add(failed[point.status] = failed[point.status] || [], 0.04); }
    });
    stage.levels.forEach(function (level) {
      [level.from, level.to].forEach(function (x) {
        levels.push({ x: x, y: level.value });
        low.push({ x: x, y: level.low === undefined ? level.value : level.low });
        high.push({ x: x, y: level.low === undefined ? level.value : level.high });
      });
      [levels, low, high].forEach(function (line) { line.push(gap(level.to)); });
    });
    stage.doubts.concat(stage.changes.filter(function (change) { return !change.near; })).forEach(function (range) {
      ranges.push({ x: range.from, y: 1 }, { x: range.to, y: 1 }, gap(range.to));
    });
    function points(label, data, radius, name, more) {
      return Object.assign({ label: label, data: data, pointRadius: radius, pointHoverRadius: radius,
        backgroundColor: name ? colour(name) : 'transparent', borderColor: 'transparent' }, more);
    }
    function line(label, data, more) {
      return Object.assign({ label: label, data: data, type: 'line', pointRadius: 0, pointHoverRadius: 0,
        pointStyle: 'line', borderWidth: 1.5, backgroundColor: 'transparent', borderColor: 'transparent' }, more);
    }
    var several = runs.length > 0;
    // Many points are drawn translucent, so that the levels stay visible.
    return [points(stage.thing + (several ? ', median' : ''), medians, stage.points.length > MANY ? 2.5 : 4,
      stage.points.length > MANY ? 'run' : 'point', { order: 1, pointHoverRadius: 6 }),
    points('one run', runs, 2.5, 'run', { order: 2 })]
      .concat(Object.keys(failed).sort().map(function (status) {
        var words = stage.points.find(function (point) { return point.status === status; }).failed;
        return points(plain(words), failed[status], 5, undefined, { order: 0, yAxisID: 'whole', borderWidth: 1.75,
          borderColor: colour('failed'), pointHoverRadius: 7, pointStyle: SHAPES[status] || 'crossRot' });
      }), [line('level, 95 %', levels, { order: 4, borderColor: colour('level') }),
        line('', low, { order: 5 }), line('', high, { order: 5, fill: '-1', backgroundColor: colour('band') }),
        line('a change may lie here', ranges, { order: 6, yAxisID: 'whole', fill: 'origin', pointStyle: 'rect',
          backgroundColor: colour('unsure') })]);
  }

  function element(name, text, kind) {
    var made = document.createElement(name);
    if (text !== undefined) { made.textContent = plain(text); }
    if (kind) { made.className = kind; }
    return made;
  }

  function tip_of(chart) { return chart.canvas.parentNode.parentNode.querySelector('.tip'); }

  // What is known of a point, as a title and a list.
  function facts_of(stage, point) {
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
    fact(point.status === 'ok' ? 'note' : 'why', point.message, 'why');
    fact(stage.thing, point.place && stage.subjects ? point.place + ' of ' + stage.subjects : undefined);
    return [what, list];
  }

  // Shows the point number `place`, beside it, or on a phone below the drawing.
  function tell(chart, place) {
    if (chart.shown === place) { return; }
    var point = chart.stage.points[place], tip = tip_of(chart), box = chart.canvas.parentNode;
    chart.shown = place;
    tip.replaceChildren.apply(tip, facts_of(chart.stage, point));
    tip.hidden = false;
    if (getComputedStyle(tip).position !== 'static') {
      var at = chart.scales.x.getPixelForValue(point.x), left = at + 14;
      if (left + tip.offsetWidth > box.clientWidth) { left = at - 14 - tip.offsetWidth; }
      tip.style.left = Math.max(0, left) + 'px';
      var level = point.value === undefined ? chart.chartArea.bottom : chart.scales.y.getPixelForValue(point.value);
      var top = Math.min(level - tip.offsetHeight / 2, box.clientHeight - tip.offsetHeight);
      tip.style.top = box.offsetTop + Math.max(0, top) + 'px';
    }
    chart.setActiveElements(chart.data.datasets.flatMap(function (set, i) {
      var index = set.data.findIndex(function (one) { return one.x === point.x; });
      return set.pointHoverRadius > 0 && index >= 0 ? [{ datasetIndex: i, index: index }] : [];
    }).slice(0, 1));
    chart.draw();
  }
  function be_silent(chart) {
    tip_of(chart).hidden = true;
    chart.shown = undefined;
    chart.setActiveElements([]);
    chart.draw();
  }

  function tell_nearest(event, elements, chart) {
    var at = Math.round(chart.scales.x.getValueForPixel(event.x)) - 1;
    tell(chart, Math.max(0, Math.min(chart.stage.points.length - 1, at)));
  }

  function name_of(point) { return plain(point.label).slice(0, 24); }

  // The size of a change, of more than two in turn in two rows.
  function in_rows(label, i, count) { return count < 3 ? label : i % 2 === 0 ? ['', label] : [label, '']; }

  function x_axis(stage, more) {
    return Object.assign({ type: 'linear', min: 0.5, max: stage.points.length + 0.5 }, more);
  }

  function y_axis(stage) {
    var flat = stage.kind !== 'metric';
    return { grace: flat ? 0 : '10%', min: flat ? -0.15 : undefined, max: flat ? 1.15 : undefined,
      grid: { drawBorder: false, color: colour('grid') }, suggestedMin: stage.low, suggestedMax: stage.high,
      title: { display: true, text: plain(stage.metric), color: colour('quiet') },
      afterBuildTicks: function (axis) {
        var shown = { exact: [0, 1], flaky: [0, 0.25, 0.5, 0.75, 1] }[stage.kind];
        if (shown) { axis.ticks = shown.map(function (value) { return { value: value }; }); }
      },
      ticks: { maxTicksLimit: 7, padding: 6, color: colour('quiet'), callback: function (value) {
        if (stage.kind === 'flaky') { return 100 * value + ' %'; }
        return stage.kind === 'exact' ? value_words(stage, value) : number(value);
      } } };
  }

  // Whether a dataset is in the legend.
  function is_named(item, data) { return item.text !== '' && data.datasets[item.datasetIndex].data.length > 0; }

  function draw(canvas) {
    var stage = stages[Number(canvas.dataset.stage)], count = stage.points.length;
    var chart = new Chart(canvas, {
      type: 'scatter',
      data: { datasets: datasets(stage) },
      plugins: [{ id: 'stage', beforeInit: function (made) { made.stage = stage; } }],
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, parsing: false,
        layout: { padding: { top: 8, right: 6 } },
        events: ['mousemove', 'click', 'touchstart', 'touchmove'], onHover: tell_nearest,
        plugins: { tooltip: { enabled: false }, legend: { position: 'bottom', align: 'start', onClick: null,
          labels: { usePointStyle: true, boxHeight: 7, padding: 14, color: colour('quiet'), filter: is_named,
            sort: function (a, b) { return a.datasetIndex - b.datasetIndex; } } } },
        scales: {
          x: x_axis(stage, { ticks: { maxRotation: 0, autoSkipPadding: 24, color: colour('quiet'),
            callback: function (x) { return name_of(stage.points[x - 1]); } },
          grid: { display: false, drawBorder: false },
          afterBuildTicks: function (axis) {
            axis.ticks = stage.points.map(function (point) { return { value: point.x }; });
          } }),
          sizes: x_axis(stage, { axis: 'x', position: 'top', display: stage.changes.length > 0,
            ticks: { autoSkip: false, color: colour('change'), font: { weight: 600 },
              callback: function (x, i) { return in_rows(stage.changes[i].label, i, stage.changes.length); } },
            grid: { drawBorder: false, color: colour('change'), lineWidth: 1.5, borderDash: [4, 3], z: -1 },
            afterBuildTicks: function (axis) {
              axis.ticks = stage.changes.map(function (change) { return { value: (change.from + change.to) / 2 }; });
            } }),
          y: y_axis(stage),
          whole: { axis: 'y', display: false, min: 0, max: 1 }
        }
      }
    });
    charts.push(chart);
    canvas.addEventListener('keydown', function (event) {
      var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === 'Escape') { be_silent(chart); }
      if (!step) { return; }
      event.preventDefault();
      var from = chart.shown === undefined ? (step > 0 ? -1 : count) : chart.shown;
      tell(chart, Math.max(0, Math.min(count - 1, from + step)));
    });
    canvas.addEventListener('blur', function () { be_silent(chart); });
    canvas.addEventListener('mouseleave', function () { be_silent(chart); });
  }

  // On paper: white, everything unfolded, of a fixed width and sharp.
  function print(begins) {
    document.documentElement.classList.toggle('printing', begins);
    document.querySelectorAll(begins ? 'details:not([open])' : 'details.unfolded').forEach(function (details) {
      details.open = begins;
      details.classList.toggle('unfolded', begins);
    });
    charts.forEach(function (chart) {
      be_silent(chart);
      chart.options.devicePixelRatio = begins ? 3 : window.devicePixelRatio;
      if (begins) { chart.resize(680, chart.canvas.parentNode.classList.contains('low') ? 180 : 300); }
      if (!begins) { chart.resize(); }
    });
    repaint();
  }
  function repaint() { charts.forEach(function (chart) { chart.update('none'); }); }

  document.documentElement.classList.add('drawn');
  Chart.defaults.font.family = family;
  document.querySelectorAll('canvas[data-stage]').forEach(draw);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
  window.addEventListener('beforeprint', function () { print(true); });
  window.addEventListener('afterprint', function () { print(false); });
})();
