local test = require "harness"

test("times are read in their usual forms, always UTC", function()
  test.equal(reg.time.parse("1970-01-02"), 86400)
  for _, text in ipairs { "2023-08-24T13:00:00Z", "2023-08-24 13:00", "2023-08-24T13", "2023-08-24T15:00:00+02:00",
    "2023-08-24T07:30-0530" } do
    test.equal(reg.time.parse(text), 1692882000, text)
  end
  test.equal({ reg.time.parse "1969-12-31T23:59:59", reg.time.parse "2024-02-29" }, { -1, 1709164800 })
  for _, text in ipairs { "2023-02-30", "2023-02-29", "2023-13-01", "2023-00-10", "2023", "23-08-24", "2023-8-24", " 2023-08-24",
    "-023-08-24", "yesterday", "2023-08-24T24", "2023-08-24T12:60", "2023-08-24T12:00:60", "2023-08-24T", "2023-08-24x",
    "2023-08-24T12:00+2", "2023-08-24T12:00ZZ", "9999-12-31T23:00-02:00", "0000-01-01T00:00+01:00",
    "" } do
    test.raises("not a valid time", function() reg.time.parse(text) end, "usage")
  end
  test.equal(reg.time.format(1692882000), "2023-08-24T13:00:00Z")
  test.equal({ reg.time.format(1692882000, "%d.%m.%Y"), reg.time.format(0, "") }, { "24.08.2023", "" })
  test.equal(reg.time.date("2023-08-24T13:00"), "2023-08-24")
end)

-- os.time reads the kernel's coarse clock, which may still show the second before.
test("now is Unix time", function()
  local before = os.time()
  local now = reg.time.now()
  test.truthy(now >= before and now <= os.time() + 1, now)
end)

test("durations", function()
  for text, seconds in pairs { ["14d"] = 1209600, ["1h30m"] = 5400, ["250ms"] = 0.25, ["90"] = 90, ["2w"] = 1209600, ["1.5h"] = 5400,
    ["0.5"] = 0.5, ["5min"] = 300 } do
    test.near(reg.time.seconds(text), seconds, 1e-9, text)
  end
  for _, text in ipairs { "", "h", "5x", "-1s", "nan", "inf", "0s5", "1y", "1h30", "1 h", "1e3s" } do
    test.raises("not a valid duration", function() reg.time.seconds(text) end, "usage")
  end
  for seconds, words in pairs { [3700] = "1 h 01 min", [0.85] = "850 ms", [1.234] = "1.2 s", [12.34] = "12 s",
    [59.7] = "1 min 00 s", [245] = "4 min 05 s" } do
    test.equal(reg.time.words(seconds), words)
  end
end)

test("a range steps from one time to the other, both ends in it", function()
  local days = reg.time.range { from = "2023-08-24", to = "2023-08-26" }
  test.equal(#days, 3)
  test.equal(reg.time.date(days[3]), "2023-08-26")
  test.equal(#reg.time.range { from = "2023-08-24", to = "2023-08-25", every = "1h" }, 25)
  test.raises("is after", function() reg.time.range { from = "2023-08-26", to = "2023-08-24" } end, "usage")
end)

return test.finish()
