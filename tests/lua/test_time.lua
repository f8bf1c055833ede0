local test = require "harness"

test("times are read in their usual forms, always UTC", function()
  test.equal(reg.time.parse("1970-01-02"), 86400)
  for _, text in ipairs { "2023-08-24T13:00:00Z", "2023-08-24 13:00", "2023-08-24T13", "2023-08-24T15:00:00+02:00" } do
    test.equal(reg.time.parse(text), 1692882000, text)
  end
  for _, text in ipairs { "2023-02-30", "yesterday", "2023-08-24T24", "2023-08-24x", "" } do
    test.raises("not a valid time", function() reg.time.parse(text) end, "usage")
  end
  test.equal(reg.time.format(1692882000), "2023-08-24T13:00:00Z")
  test.equal(reg.time.format(1692882000, "%d.%m."), "24.08.")
  test.equal(reg.time.date("2023-08-24T13:00"), "2023-08-24")
end)

-- os.time reads the kernel's coarse clock, which may still show the second before.
test("now is Unix time", function()
  local before = os.time()
  local now = reg.time.now()
  test.truthy(now >= before and now <= os.time() + 1, now)
end)

test("durations", function()
  for text, seconds in pairs { ["14d"] = 1209600, ["1h30m"] = 5400, ["250ms"] = 0.25, ["90"] = 90, ["2w"] = 1209600, ["1.5h"] = 5400 } do
    test.near(reg.time.seconds(text), seconds, 1e-9, text)
  end
  for _, text in ipairs { "", "h", "5x", "-1s", "nan", "inf", "0s5" } do
    test.raises("not a valid duration", function() reg.time.seconds(text) end, "usage")
  end
  test.equal(reg.time.words(3700), "1 h 01 min")
end)

test("a range steps from one time to the other, both ends in it", function()
  local days = reg.time.range { from = "2023-08-24", to = "2023-08-26" }
  test.equal(#days, 3)
  test.equal(reg.time.date(days[3]), "2023-08-26")
  test.equal(#reg.time.range { from = "2023-08-24", to = "2023-08-25", every = "1h" }, 25)
  test.raises("is after", function() reg.time.range { from = "2023-08-26", to = "2023-08-24" } end, "usage")
end)

return test.finish()
