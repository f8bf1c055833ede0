#!/bin/sh
# tests/scripts/test_analyze.sh REGENGINE: the shipped analyze.lua, as a user starts it.
. "$(dirname "$0")/lib.sh"

record() {  # MODEL METRICS
  printf '{"model":{"suite_name":"torchbench","model_name":"%s"},"experiment":{"accelerator":"cuda",' "$1"
  printf '"accelerator_model":"V100","xla":"PJRT","xla_flags":null,"dynamo":null,'
  printf '"torch_xla2":null,"keep_model_data_on_cuda":true,"test":"eval","batch_size":null},'
  printf '"repeat":3,"iterations_per_run":1,"metrics":%s,"timestamp":86400}\n' "$2"
}
same() { cmp "$1" wanted || { cat "$1"; fail "$1 is not what it should be"; }; }

mkdir output
record bert '{"total_time":[3,1,2]}' >output/1.jsonl
record vgg '{"error":"SKIP"}' >output/2.jsonl
columns=timestamp,suite_name,model_name,accelerator,accelerator_model,xla,xla_flags,dynamo,torch_xla2
columns=$columns,keep_model_data_on_cuda,test
columns=$columns,batch_size,repeat,iterations_per_run,error_message,median_total_time,median_per_iter_time
columns=$columns,xla_median_trace_per_iter_time,xla_compile_time,dynamo_compile_time,outputs_file
columns=$columns,min_total_time,max_total_time,mean_total_time,std_total_time
cat >wanted <<W
$columns
86400,torchbench,bert,cuda,V100,PJRT,,,,True,eval,,3,1,,2.0,,,1.0,-1,,1.0,3.0,1.5,0.5
86400,torchbench,vgg,cuda,V100,PJRT,,,,True,eval,,3,1,SKIP,,,,,,,,,,
W
says 0 "output/metric_report.csv: 2 runs, 1 failed" analyze.lua
same output/metric_report.csv
same output/database.csv

# Once more, as JSON lines too: the report is new, the database has grown, and the report of JSON lines is no result.
expect 0 analyze.lua --output-format both --hide-errors
sed 's/SKIP//' wanted >hidden
cmp hidden output/metric_report.csv || fail "an error shows"
tail -n 2 hidden >>wanted
same output/database.csv
grep -q '"error_message"' output/metric_report.jsonl && fail "an error shows in JSON"
expect 0 -e "for line in reg.fs.read('output/metric_report.jsonl'):gmatch '[^\n]+' do
  print(reg.json.decode(line).dimensions.run_status)
end"
[ "$(cat out)" = "success
failure" ] || fail "the runs as JSON lines"
expect 0 analyze.lua --output-format jsonl
[ "$(wc -l <output/metric_report.jsonl)" = 2 ] || fail "the report was read as a result"
same output/database.csv

# Lines that are none, and a run without a time, in a database of its own.
{
  echo '{"model":'
  record gpt '{"total_time":[1,null]}' | sed 's/,"timestamp":86400//'
  printf '{"model":{"mo'
} >cut.jsonl
expect 0 analyze.lua --results cut.jsonl --database my.csv --timestamp 5.5
[ "$(tail -n 1 my.csv)" = '5.5,torchbench,gpt,cuda,V100,PJRT,,,,True,eval,,3,1,,,,,,-1,,,,,' ] ||
  { cat my.csv; fail "the run between"; }
grep -q "cut.jsonl:1: not a valid result: " err || fail "the first line is named"
grep -q "cut.jsonl:2: total_time contains null" err || fail "the null is named"
grep -q "cut.jsonl:3: not a valid result: incomplete line" err || fail "the cut line is named"

says 2 "--timestamp: not a number: 'noon'" analyze.lua --timestamp noon
says 2 "--output-format: not a valid value: 'xml'" analyze.lua --output-format xml
mkdir empty
says 2 "no results in empty" analyze.lua --output-dirname empty
says 2 nowhere analyze.lua --output-dirname nowhere
echo "analyze.lua writes its reports"
