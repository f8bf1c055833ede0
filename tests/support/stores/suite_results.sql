-- A store of format 3 with ten results of benchmark suites, as regengine 0.1.0 kept them (suite_results.jsonl); sqlite3 .dump.
-- tests/scripts/test_old_store.sh reads it.
PRAGMA user_version=3; PRAGMA application_id=1380404807;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE investigations( id INTEGER PRIMARY KEY, name TEXT NOT NULL, script TEXT NOT NULL, script_text TEXT NOT
  NULL, script_sha256 TEXT NOT NULL, options TEXT NOT NULL, engine TEXT NOT NULL, host TEXT NOT NULL, kernel TEXT NOT
  NULL, cpu TEXT NOT NULL, facts TEXT NOT NULL, started REAL NOT NULL, ended REAL, verdict TEXT );
CREATE TABLE subjects( id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(name, kind) );
CREATE TABLE trials( id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, investigation INTEGER NOT NULL REFERENCES
  investigations(id), subject INTEGER NOT NULL REFERENCES subjects(id), key TEXT NOT NULL, status TEXT NOT NULL,
  message TEXT, config TEXT NOT NULL, command TEXT NOT NULL, env TEXT NOT NULL, info TEXT NOT NULL, started REAL NOT
  NULL, ended REAL, wall_s REAL, user_s REAL, sys_s REAL, peak_bytes INTEGER, folder TEXT );
CREATE TABLE samples( trial INTEGER NOT NULL REFERENCES trials(id), metric TEXT NOT NULL, n INTEGER NOT NULL, value
  REAL NOT NULL, PRIMARY KEY(trial, metric, n) ) WITHOUT ROWID;
CREATE TABLE texts( id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE );
INSERT INTO texts VALUES(1,'{"suite_name":"torchbench","model_name":"m1"}');
INSERT INTO texts VALUES(2,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":"PJRT","xla_flags":null,"dynamo":"openxla","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":2,"level":9}');
INSERT INTO texts VALUES(3,'{"model":M,"experiment":E,"metrics":{"total_time":[F,F,F,F,F,F],"x":F,"t":F},"timestamp":F,"w":S}');
INSERT INTO texts VALUES(4,'{"suite_name":"torchbench","model_name":"m2"}');
INSERT INTO texts VALUES(5,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":null,"xla_flags":null,"dynamo":null,"torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":3}');
INSERT INTO texts VALUES(6,'{"model":M,"experiment":E,"metrics":{"t":[F,I],"total_time":[F,F,I,F,null]},"timestamp":I,"commit":S}');
INSERT INTO texts VALUES(7,'{"suite_name":"torchbench","model_name":"m3"}');
INSERT INTO texts VALUES(8,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":"PJRT","xla_flags":null,"dynamo":"inductor","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":1}');
INSERT INTO texts VALUES(9,'{"model":M,"experiment":E,"repeat":I,"metrics":{"total_time":[F,F,F,F,F],"per_iter_time":[F,F,F,F,F],"trace_per_iter_time":[F,F,F,F]},"timestamp":I,"iterations_per_run":I}');
INSERT INTO texts VALUES(10,'{"suite_name":"torchbench","model_name":"m4"}');
INSERT INTO texts VALUES(11,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":null,"xla_flags":null,"dynamo":"inductor","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":2}');
INSERT INTO texts VALUES(12,'{"model":M,"experiment":E,"metrics":{},"clocks":{"sm":[I,I,F,F,S]},"timestamp":null}');
INSERT INTO texts VALUES(13,'{"suite_name":"torchbench","model_name":"m5"}');
INSERT INTO texts VALUES(14,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":"PJRT","xla_flags":null,"dynamo":"openxla","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":3}');
INSERT INTO texts VALUES(15,'{"model":M,"experiment":E,"metrics":{"total_time":[F,F,F,F,F,F,F,F,F],"s":S,"e":[],"n":[I,S]},"timestamp":S}');
INSERT INTO texts VALUES(16,'{"suite_name":"torchbench","model_name":"m6"}');
INSERT INTO texts VALUES(17,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":null,"xla_flags":null,"dynamo":null,"torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":1,"level":[1,2.50,"\u00e9"]}');
INSERT INTO texts VALUES(18,'{"model":M,"experiment":E,"metrics":{"total_time":[F,F,F,F,F,F,F,F,F,F]},"timestamp":I,"more":{"q":S,"z":[true,false,null,{}]},"process_started":[F]}');
INSERT INTO texts VALUES(19,'{"suite_name":"torchbench","model_name":"m0"}');
INSERT INTO texts VALUES(20,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":"PJRT","xla_flags":null,"dynamo":"inductor","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":2}');
INSERT INTO texts VALUES(21,'{"model":M,"experiment":E,"metrics":{"total_time":[I,I,I,F,F,I]},"timestamp":F,"outputs_file":S}');
INSERT INTO texts VALUES(22,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":null,"xla_flags":null,"dynamo":"inductor","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"eval","batch_size":3}');
INSERT INTO texts VALUES(23,'{"model":M,"experiment":E,"metrics":{"total_time":[F,F,F,F,F,F,F,F,F,F,F,F]},"timestamp":I,"note":S}');
INSERT INTO texts VALUES(24,'{"accelerator":"cuda","accelerator_model":"One of Tesla V100","xla":null,"xla_flags":null,"dynamo":"inductor","torch_xla2":null,"keep_model_data_on_cuda":false,"test":"train","batch_size":1}');
INSERT INTO texts VALUES(25,'{"model":M,"experiment":E,"metrics":{"error":S},"timestamp":I}');
INSERT INTO texts VALUES(26,'{"E":{"b":"}"},"c":[1,{"d":2}]}');
INSERT INTO texts VALUES(27,'{"\u0041":"I"}');
INSERT INTO texts VALUES(28,'{"metrics":{"a":I,"b":{"c":[I,I]},"d":[S,I,S]},"experiment":E,"M":I,"model":M,"more":[[],{},[[I,F,F,F]],true,S]}');
CREATE TABLE run_blocks( first INTEGER PRIMARY KEY, heads BLOB NOT NULL, words TEXT NOT NULL, spellings TEXT NOT NULL,
  hashes BLOB NOT NULL );
INSERT INTO run_blocks VALUES(1,X'0000000000448f40010000000200000003000000070000000000000000408f40040000000500000006000000060000000000000000408f4007000000080000000900000000000000000000000000f87f0a0000000b0000000c0000001e0000000000000000428f400d0000000e0000000f000000000000000000000000408f4010000000110000001200000000000000cbb9e9d6fc408f401300000014000000150000002e0000000000000000408f40010000001600000017000000000000000000000000408f4013000000180000001900000000000000000000000000f87f1b0000001a0000001c00000012000000','"a""c2""\u00e9""fast""a""1000.25""\"\\ / \u0041 \ud83d\ude00""a,b\"c""ké""out of memory 0""I""F""\"S\""','6 0.10 0 1E5 1 12345678901234567890 3 1.50 3 4e400 4 0.000012345678 5 123456789012345678 4 -0 7 1E5 8 0.10 ',X'1ff0ce8e72e517f174d1fcc0581ae2db76e57ad4cfde3bf1ec7dae1c28031086db47b1c5a4d28669dd2215b0d6e963abf97750f2a7a5c3fdf52dfc6614c17f80ca22f0360f9dd68593ab322491727fb22d2258a660870fa9a36f1163801554e64026e64886fca7f41ee46df885a24425fcb68b9f0beca39aa7bb7233f3a7b39400f89c41af8c6f7d2353d68755976ff71f70af5c201bcbd7f4755cc98ee12d72');
CREATE TABLE run_numbers( block INTEGER NOT NULL, metric TEXT, exec BLOB NOT NULL, compile BLOB NOT NULL,
  numbers BLOB NOT NULL, UNIQUE(block, metric) );
INSERT INTO run_numbers VALUES(1,NULL,X'',X'',X'0000000000448f400000000000408f4000000000000008400000000000408f40000000000000f03f0000000000001040e1639d31956ae543000000000000f0ff000000000000f83f0000000000408f40000000000000f83fcbb9e9d6fc408f400000000000408f400000000000408f4000000000000000000000000000000000000000000000008000000000006af8409a9999999999b93f');
INSERT INTO run_numbers VALUES(1,'a',X'000000000000f87f0000000000000000',X'000000000000f87f0000000000000000',X'000000000000f03f');
INSERT INTO run_numbers VALUES(1,'b',X'000000000000f87f0000000000000000',X'000000000000f87f0000000000000000',X'00000000000000400000000000000840');
INSERT INTO run_numbers VALUES(1,'d',X'000000000000f87f0000000000000000',X'000000000000f87f0000000000000000',X'0000000000001040');
INSERT INTO run_numbers VALUES(1,'n',X'000000000000f87f0000000000000000',X'000000000000f87f0000000000000000',X'000000000000f03f');
INSERT INTO run_numbers VALUES(1,'per_iter_time',X'39622d3e0500f93f7a5c030b78ad0140',X'b9533a58ffdf12400000000000000000',X'000000000000234000000000000021400000000000001e400000000000000940f168e388b5f8e43e');
INSERT INTO run_numbers VALUES(1,'t',X'000000000000f87f0000000000000000000000000000f87f0000000000000000',X'000000000000f87f000000000000000000000000e069f8400000000000000000',X'000000000000f43f00000000006af8400000000000000040');
INSERT INTO run_numbers VALUES(1,'total_time',X'c16ea9c660c7d43f898be8e5cd01ce3f000000000000f83f0000000000000000aea5a25aae1cd03f437871b89876d03f84644ff38fc5e03fb302fcdd7c81d63fe1970c498642dd3f668371840a07d13f000000000000f07f000000000000f8ff5cf5e1c9a83bdf3f2ecf3f08f52cc83f',X'4c16be86857904400000000000000000000000000000f87f0000000000000000436994f1e8a1d03f000000000000000086e1722becb4f63f0000000000000000ab23e323a7a6ec3f0000000000000000000000000000f87f00000000000000001851ca00a6f3ac3f0000000000000000',X'bce187b1e250074070325196064fc33fff71318874d4e43f00e1473a2f8bb23fa0636004f225e13fc28ca97c7267d73f0000000000002340000000000000f87f0000000000001c40000000000000f83f26d5bf0c25b4e03fd7d9dbdce93ce03fd0288085a132a33fa46a58d3d9c0db3fe082b3870be2b13f4bf6ac97bd12004023fd54d6ee13e43fc3583fb4a153ee3f2b98579aa077e23f148f65803663d93f4663e2587b3def3fc065a063afd9a73ffa5e88d89278eb3f92655a63f588d23f047bbbc3d1c5f43fc8ec44d2a127be3f2a687b8c2abed33fea5eba06b51dea3fbc1da6c10a22c73fcde948f2779ce23f4361c0a8fa71e43fae89c7805cd5d73f9033d9661f87e13f184e0f32f012b03f000000000000f03f00000000000000400000000000000840000000000000f07f4cdf701009e4e93e350f63bab4697b43d6ca486a462ae13f5050f1e7da5cca3f457b202ad6c5e53fb8c3371eac5ddb3f788db9bbfc1ad43f9e9ab13becbce23f4a85e40af900dd3f12c7fce9612fd33fc614b8848e6be93fa88b1e93295ee63f30474ff18d3ecf3f817433d5ad61e23f');
INSERT INTO run_numbers VALUES(1,'trace_per_iter_time',X'0882513e7cb1bf3f0000000000000000',X'2613d100e6e9d63f0000000000000000',X'9373d6cb1620ea3fec0e7988522bdb3f4b0643969275ea3f0882513e7cb1bf3f');
INSERT INTO run_numbers VALUES(1,'x',X'000000000000f87f0000000000000000',X'000000000000f87f0000000000000000',X'9a9999999999b93f');
CREATE INDEX trials_by_key ON trials(key, id);
CREATE INDEX trials_by_subject ON trials(subject);
CREATE VIEW results AS SELECT t.id AS trial, t.investigation, s.name AS subject, s.kind, t.status, m.metric, m.n,
  m.value FROM samples m JOIN trials t ON t.id = m.trial JOIN subjects s ON s.id = t.subject;
CREATE INDEX trials_running ON trials(id) WHERE status = 'running';
CREATE INDEX trials_by_investigation ON trials(investigation);
COMMIT;
