#!/bin/sh
# tests/scripts/test_analyze.sh REGENGINE: the shipped analyze.lua, as a user starts it.
. "$(dirname "$0")/lib.sh"

record() {  # MODEL METRICS
  printf '{"model":{"suite_name":"torchbench","model_name":"%s"},"experiment":{"accelerator":"cuda",' "$1"
  printf '"accelerator_model":"V100","xla":"PJRT","xla_flags":null,"dynamo":null,'
  printf '"torch_xla2":null,"keep_model_data_on_cuda":true,"test":"eval","batch_size":null},'
  printf '"repeat":3,"iterations_per_run":1,"metrics":%s,"timestamp":86400}\n' "$2"
}

# lua/test_analyze.lua has the columns and the numbers.
mkdir output
record bert '{"total_time":[3,1,2]}' >output/1.jsonl
record vgg '{"error":"SKIP"}' >output/2.jsonl
says 0 "output/metric_report.csv: 2 runs, 1 failed" analyze.lua
cp output/metric_report.csv wanted
[ "$(cut -d, -f 3,15,16,25 wanted | tr '\n' ' ')" = "model_name,error_message,median_total_time,std_total_time bert,,2.0,0.5 vgg,SKIP,, " ] ||
  fail "the report: $(cat wanted)"
same() { cmp wanted output/database.csv || fail "the database: $(cat output/database.csv)"; }
same

# Once more, as JSON lines too: the report is new, the database has grown, and the report of JSON lines is no result.
expect 0 analyze.lua --output-format both --hide-errors
sed 's/SKIP//' wanted >hidden
cmp hidden output/metric_report.csv || fail "an error shows"
tail -n 2 hidden >>wanted
same
grep -q '"error_message"' output/metric_report.jsonl && fail "an error shows in JSON"
head -n 1 output/metric_report.jsonl >out
answer 'answer.dimensions.run_status == "success"'
tail -n 1 output/metric_report.jsonl >out
answer 'answer.dimensions.run_status == "failure"'
expect 0 analyze.lua --output-format jsonl
[ "$(wc -l <output/metric_report.jsonl)" = 2 ] || fail "the report was read as a result"
same

says 2 "--timestamp: not a number: 'noon'" analyze.lua --timestamp noon
says 2 "--output-format: not a valid value: 'xml'" analyze.lua --output-format xml
mkdir empty
says 2 "no results in empty" analyze.lua --output-dirname empty
says 2 nowhere analyze.lua --output-dirname nowhere
