# Completion of regengine for fish. Written by docs/generate; do not edit.

function __regengine_images
    for tool in docker podman
        timeout 3 $tool image ls --format '{{.Repository}}:{{.Tag}}' 2>/dev/null | string match -v '*<none>*'
    end
end

# Prints the command: the first word that is neither an option of the engine nor its value.
function __regengine_command
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --execute -e --stdlib --audit --block --stubs --allow --memory --instructions
                set -e words[1]
            case '-*'
            case '*'
                string replace -r '\.lua$' '' -- $words[1]
                return 0
        end
        set -e words[1]
    end
    return 1
end

function __regengine_is
    contains -- (__regengine_command) $argv
end

function __regengine_files
    __fish_complete_path (commandline -ct) | string match -r '^.*(?:/|\.lua|\.md)(?:\t.*)?$'
end

complete -c regengine -f -n 'not __regengine_command' -a '(__regengine_files)'
complete -c regengine -n 'not __regengine_command' -f -a ab -d 'Compares two commands'
complete -c regengine -n 'not __regengine_command' -f -a aggregate -d 'Aggregates results of benchmark suites'
complete -c regengine -n 'not __regengine_command' -f -a analyze -d 'Analyzes results of benchmark suites'
complete -c regengine -n 'not __regengine_command' -f -a bisect -d 'Finds the commit between a good and a bad revision that made the test fail or changed its number'
complete -c regengine -n 'not __regengine_command' -f -a compare -d 'Compares results of benchmark suites'
complete -c regengine -n 'not __regengine_command' -f -a descend -d 'From a commit that bumps a dependency to the commit of the dependency'
complete -c regengine -n 'not __regengine_command' -f -a flags -d 'Finds which flags, variables or compiler options make the difference between a good and a bad set'
complete -c regengine -n 'not __regengine_command' -f -a hourly -d 'Checks out several repositories as they were at each hour, builds and tests them, and finds the hours at which the number of --metric changed, or at which the test began to fail'
complete -c regengine -n 'not __regengine_command' -f -a investigate -d 'From nights to the commit'
complete -c regengine -n 'not __regengine_command' -f -a list -d 'Lists the investigations of a store, each with what it found'
complete -c regengine -n 'not __regengine_command' -f -a matmul -d 'Times square matrix products of cuBLAS, n = 256 to 8192 in f32, f16 and bf16, and compares each with an earlier run in the store'
complete -c regengine -n 'not __regengine_command' -f -a nightly -d 'Tests nightly container images and finds the nights at which the number of --metric changed, or at which the test began to fail'
complete -c regengine -n 'not __regengine_command' -f -a open -d 'Writes the report of an investigation, as report does, and opens it in the browser'
complete -c regengine -n 'not __regengine_command' -f -a prove -d 'Proves that a commit is what made a test fail or a number worse'
complete -c regengine -n 'not __regengine_command' -f -a report -d 'Writes an investigation as one self-contained HTML file'
complete -c regengine -n 'not __regengine_command' -f -a retrace -d 'Finds the release of a package from which a function is traced, or compiled, more or less often by JAX'
complete -c regengine -n 'not __regengine_command' -f -a share -d 'Writes an investigation as Markdown to paste into an issue'
complete -c regengine -n 'not __regengine_command' -f -a show -d 'Shows an investigation of a store again'
complete -c regengine -n 'not __regengine_command' -f -a suite -d 'Runs a benchmark suite'
complete -c regengine -n 'not __regengine_command' -f -a why -d 'Says why it got slower'
complete -c regengine -n 'not __regengine_command' -f -a doctor -d 'shows what this machine has, what is missing and what that is needed for'
complete -c regengine -n 'not __regengine_command' -f -a gc -d 'shows or removes worktrees, outputs and pulled images that nothing needs'
complete -c regengine -n '__regengine_is gc' -f -l remove
complete -c regengine -n 'not __regengine_command' -f -a help -d 'shows the help of a strategy, or of a function such as container.run'
complete -c regengine -n '__regengine_is help' -f -a ab
complete -c regengine -n '__regengine_is help' -f -a aggregate
complete -c regengine -n '__regengine_is help' -f -a analyze
complete -c regengine -n '__regengine_is help' -f -a bisect
complete -c regengine -n '__regengine_is help' -f -a compare
complete -c regengine -n '__regengine_is help' -f -a descend
complete -c regengine -n '__regengine_is help' -f -a flags
complete -c regengine -n '__regengine_is help' -f -a hourly
complete -c regengine -n '__regengine_is help' -f -a investigate
complete -c regengine -n '__regengine_is help' -f -a list
complete -c regengine -n '__regengine_is help' -f -a matmul
complete -c regengine -n '__regengine_is help' -f -a nightly
complete -c regengine -n '__regengine_is help' -f -a open
complete -c regengine -n '__regengine_is help' -f -a prove
complete -c regengine -n '__regengine_is help' -f -a report
complete -c regengine -n '__regengine_is help' -f -a retrace
complete -c regengine -n '__regengine_is help' -f -a share
complete -c regengine -n '__regengine_is help' -f -a show
complete -c regengine -n '__regengine_is help' -f -a suite
complete -c regengine -n '__regengine_is help' -f -a why
complete -c regengine -n 'not __regengine_command' -f -a recover -d 'restores the settings that a killed engine had changed'
complete -c regengine -n 'not __regengine_command' -f -a repair -d 'writes a mended copy of a damaged store'
complete -c regengine -n 'not __regengine_command' -f -a trust -d 'trusts your own files and folders: their scripts may do everything'
complete -c regengine -n 'not __regengine_command' -s h -l help -f -d 'print this help'
complete -c regengine -n 'not __regengine_command' -s e -l execute -x -d 'run this Lua code'
complete -c regengine -n 'not __regengine_command' -l stdlib -x -a '(__fish_complete_directories)' -d 'use the standard library in this folder, not the built-in one'
complete -c regengine -n 'not __regengine_command' -l audit -r -F -d 'append one line of JSON to this file for each outside effect'
complete -c regengine -n 'not __regengine_command' -l block -x -d 'run the Nth lua block of a Markdown file that has several'
complete -c regengine -n 'not __regengine_command' -l stubs -x -a '(__fish_complete_directories)' -d 'write stubs of reg for editors and luacheck into this folder'
complete -c regengine -n 'not __regengine_command' -l trust -f -d 'trust the script as your own: it may do everything'
complete -c regengine -n 'not __regengine_command' -l allow -x -d 'permit an untrusted script what the pattern matches, such as process=make; may be repeated'
complete -c regengine -n 'not __regengine_command' -l dry-run -f -d 'print what would run, but change nothing'
complete -c regengine -n 'not __regengine_command' -s q -l quiet -f -d 'hide progress'
complete -c regengine -n 'not __regengine_command' -l memory -x -d 'memory limit of the script, such as 8G (default 2G)'
complete -c regengine -n 'not __regengine_command' -l instructions -x -d 'limit of Lua instructions between two outside effects (default 50000000000, some minutes)'
complete -c regengine -n 'not __regengine_command' -s V -l version -f -d 'print the version'
complete -c regengine -n '__regengine_is ab' -f
complete -c regengine -n '__regengine_is ab' -l budget -x -d 'most pairs of runs'
complete -c regengine -n '__regengine_is ab' -l image -x -a '(__regengine_images)' -d 'image of the container to run both in'
complete -c regengine -n '__regengine_is ab' -l metric -x -d 'compare this number in the output, such as \'MLUPS: {number}\'; unless given, the wall time'
complete -c regengine -n '__regengine_is ab' -l min-effect -x -d 'smallest difference that matters: it ends once the two differ by less'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove why' -l take -x -a 'first last median min' -d 'which number to use if the output has several'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove why' -l drop -x -d 'ignore the first N numbers, such as warm-up steps'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove why' -l better -x -a 'higher lower' -d 'which values are better; unless given, what the metric\'s name and unit say'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly' -l fail-on-regression -f -d 'exit with code 4 if there is a regression'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove retrace why' -l timeout -x -d 'time limit of one build or test run'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l runtime -x -a 'docker podman local' -d 'container runtime; unless given, docker or podman, whichever works'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l gpus -x -d 'GPUs that the container sees: all, or numbers such as 0,1'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l gpus-per-trial -x -d 'GPUs of each trial, leased from those of --gpus; unless given, 1 if trials run in parallel, else all'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l network -x -d 'network of the container, such as host or none'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l env -x -d 'environment variable of the test; NAME alone passes on its value'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l mount -r -F -d 'file or folder that the container sees; unless given, INSIDE is HOST'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l input -r -F -d 'file or folder that the test reads: in a container at the same path, read-only'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l shm-size -x -d 'size of /dev/shm, such as 16g; unless given, 8g, or half of the memory if that is less'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l ipc -x -d 'IPC namespace of the container: private, none or host'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l ulimit -x -d 'resource limit, such as nofile=4096; -1 for unlimited; unless given, memlock=-1, stack=67108864'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l device -x -d 'device of this machine, such as /dev/fuse, or a CDI device'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l cap-add -x -d 'capability of the test, such as SYS_PTRACE'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l user -x -d 'user of the test in the container: NAME, UID or UID:GID'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l memory -x -d 'memory limit of the container, such as 24g'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l cpus -x -d 'limit of the container\'s CPU time, in CPUs, such as 2.5'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l workdir -x -a '(__fish_complete_directories)' -d 'folder that the test starts in; for a checkout relative to it'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l entrypoint -x -d 'program to run the test with, in place of the image\'s entrypoint; \'\' for none'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l no-init -f -d 'the test is process 1 of the container, without an init process above it'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove suite' -l pull -x -a 'missing always never' -d 'when to pull an image'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate matmul nightly prove suite' -l lock-clocks -x -d 'lock the SM clock of the GPUs while it runs, in MHz or percent of the highest; without a value at the highest clock that they hold under a load'
complete -c regengine -n '__regengine_is ab aggregate analyze bisect compare descend flags hourly investigate list matmul nightly open prove report retrace share show why' -l store -r -F -d 'file that the results are kept in'
complete -c regengine -n '__regengine_is ab aggregate analyze bisect compare descend flags hourly investigate list matmul nightly open prove report retrace share show suite why' -l dry-run -f -d 'change nothing; print what would run, how often and for how long'
complete -c regengine -n '__regengine_is ab aggregate analyze bisect compare descend flags hourly investigate list matmul nightly open prove report retrace share show suite why' -l json -f -d 'print the answer as one JSON object on the last line'
complete -c regengine -n '__regengine_is ab aggregate analyze bisect compare descend flags hourly investigate list matmul nightly open prove report retrace share show suite why' -l quiet -f -d 'print no progress'
complete -c regengine -n '__regengine_is ab aggregate analyze bisect compare descend flags hourly investigate list matmul nightly open prove report retrace share show suite why' -s h -l help -f -d 'print this help'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove retrace' -l explain -f -d 'print why each run is made, and a table of the reasons at the end'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove retrace' -l redo -x -a 'timeout test_failed build_failed crashed oom not_finite' -d 'measure trials with this status again'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove retrace' -l reuse -x -a 'any-machine' -d 'also use trials of other machines, GPUs and drivers'
complete -c regengine -n '__regengine_is ab bisect descend flags hourly investigate nightly prove retrace' -l retry-for -x -d 'how long to retry when the network or a registry fails, before the run stops'
complete -c regengine -n '__regengine_is aggregate' -F
complete -c regengine -n '__regengine_is aggregate' -l accelerator -x -d 'only results of this accelerator: v100, a6000, a100, or a regular expression for its name'
complete -c regengine -n '__regengine_is aggregate' -l backends -x -a 'inductor openxla+dynamo openxla+lazytensor eager' -d 'backends to report, the baseline first'
complete -c regengine -n '__regengine_is aggregate' -l baseline -x -a 'oldest latest' -d 'results to compare with: the first of each model, or those of the last time'
complete -c regengine -n '__regengine_is aggregate' -l by -x -d 'FIELD=VALUE,VALUE: compare these values of a field instead of backends, such as level=9,1'
complete -c regengine -n '__regengine_is aggregate' -s x -l exclude -x -d 'no models that match this regular expression'
complete -c regengine -n '__regengine_is aggregate' -l exclude-by-tier -x -d 'no models of this tier'
complete -c regengine -n '__regengine_is aggregate' -l fig-height -x -d 'height of a png or svg in inches'
complete -c regengine -n '__regengine_is aggregate' -l fig-width -x -d 'width of a png or svg in inches'
complete -c regengine -n '__regengine_is aggregate' -s k -l filter -x -d 'only models that match this regular expression'
complete -c regengine -n '__regengine_is aggregate' -l filter-by-tier -x -d 'only models of this tier, and those that --filter finds'
complete -c regengine -n '__regengine_is aggregate' -l format -x -a 'csv tab plot png svg' -d 'format; unless given, what the name of the output ends in, or csv'
complete -c regengine -n '__regengine_is aggregate' -l metric -x -a 'exec compile' -d 'time to compare: of a run, or of the compilation'
complete -c regengine -n '__regengine_is aggregate' -l report -x -a 'speedup histogram latest latest_grouped' -d 'report to write'
complete -c regengine -n '__regengine_is aggregate' -l test -x -a 'inference training' -d 'test whose results are read; not used with --by'
complete -c regengine -n '__regengine_is aggregate' -l tiers -r -F -d 'file with lists of models, { "tier1": ["bert"] } in JSON or Lua'
complete -c regengine -n '__regengine_is aggregate' -l title -x -d 'line below the title of the plot'
complete -c regengine -n '__regengine_is aggregate share' -s o -l output -r -F -d 'file to write; unless given, standard output'
complete -c regengine -n '__regengine_is analyze' -l database -r -F -d 'CSV file to add the rows to; unless given, database.csv in the folder'
complete -c regengine -n '__regengine_is analyze' -l hide-errors -f -d 'leave out the messages of failed runs'
complete -c regengine -n '__regengine_is analyze' -l output-dirname -x -d 'folder of the results and the report'
complete -c regengine -n '__regengine_is analyze' -l output-format -x -a 'csv jsonl both' -d 'format of the report'
complete -c regengine -n '__regengine_is analyze' -l results -x -d 'files of results, or stores; unless given, all *.jsonl in the folder'
complete -c regengine -n '__regengine_is analyze' -l timestamp -x -d 'seconds since 1970 for runs without a time; unless given, now'
complete -c regengine -n '__regengine_is bisect' -l bad -x -d 'bad revision'
complete -c regengine -n '__regengine_is bisect' -l repo -x -a '(__fish_complete_directories)' -d 'repository to search'
complete -c regengine -n '__regengine_is bisect' -l budget -x -d 'most runs; unless given, 200, or 400 of a flaky test'
complete -c regengine -n '__regengine_is bisect' -l good -x -d 'good revision; unless given, it goes back to one'
complete -c regengine -n '__regengine_is bisect' -l min-effect -x -d 'smallest change to look for; unless given, what the noise allows, or 25% of a flaky test'
complete -c regengine -n '__regengine_is bisect' -l patch -r -F -d 'patch to apply to every commit'
complete -c regengine -n '__regengine_is bisect' -l prove -f -d 'then prove the commit that is found: revert it, and apply it to the good revision'
complete -c regengine -n '__regengine_is bisect' -l suspect -x -d 'files that the commit probably touches, such as \'src/fft/*\''
complete -c regengine -n '__regengine_is bisect descend hourly prove' -l test -x -d 'command that tests, run in the worktree'
complete -c regengine -n '__regengine_is bisect descend prove' -l build -x -d 'command that builds, run in the worktree'
complete -c regengine -n '__regengine_is bisect descend' -l first-parent -f -d 'stop at a merge; do not search its branch'
complete -c regengine -n '__regengine_is bisect descend' -l flaky -f -d 'the test fails at random: find the commit that changed how often'
complete -c regengine -n '__regengine_is bisect descend flags hourly prove' -l image -x -a '(__regengine_images)' -d 'image of the container to build and test in'
complete -c regengine -n '__regengine_is bisect descend flags hourly investigate nightly prove' -l metric -x -d 'the number in the output of the test: \'MLUPS: {number}\', or a Lua pattern; or what is measured of the test: @wall, @cpu, @peak_memory, @instructions, @gpu_time, @gpu_cycles, @gpu_memory, @hlo:OPCODE, @jit.traces:F, @jit.compiles:F; unless given, the exit code decides: 0 is good, 125 skips, any other is bad'
complete -c regengine -n '__regengine_is bisect descend flags hourly investigate nightly prove' -l crash -x -d 'bad is a failure whose output contains it; any other failure is skipped'
complete -c regengine -n '__regengine_is bisect descend flags hourly investigate nightly prove' -l timeout-is-bad -f -d 'a test that runs past --timeout is bad; unless given, it is skipped'
complete -c regengine -n '__regengine_is bisect descend flags hourly investigate nightly' -l exact -f -d 'the numbers have no noise, such as sizes: any difference is a change, and nothing is run twice'
complete -c regengine -n '__regengine_is bisect descend hourly investigate nightly' -l good-value -x -d 'number reported for the good end; it stops if the ends do not reproduce the report'
complete -c regengine -n '__regengine_is bisect descend hourly investigate nightly' -l bad-value -x -d 'number reported for the bad end'
complete -c regengine -n '__regengine_is bisect descend hourly investigate nightly' -l only -x -a 'regressions' -d 'list only these changes'
complete -c regengine -n '__regengine_is bisect descend hourly investigate nightly' -l overlap -f -d 'while a test runs, pull the images or build the commit likely to be next; this disturbs a test that needs all CPUs'
complete -c regengine -n '__regengine_is bisect descend hourly investigate' -l artifact -x -d 'file or folder that the build makes: commits for which it is the same are measured once'
complete -c regengine -n '__regengine_is bisect descend hourly investigate prove' -l check-build -x -d 'command that prints what the built program is, such as its version'
complete -c regengine -n '__regengine_is bisect descend hourly investigate prove' -l says -x -d 'text that it must print; {subject} is the commit'
complete -c regengine -n '__regengine_is bisect descend hourly investigate nightly retrace' -l keep-going -f -d 'continue even if the good end or several runs in a row fail, or a run reports a lack of memory'
complete -c regengine -n '__regengine_is bisect descend hourly investigate nightly retrace' -l try-skipped -f -d 'also run what lies between several failures of one cause; unless given, it is assumed to fail alike'
complete -c regengine -n '__regengine_is compare' -F
complete -c regengine -n '__regengine_is compare' -l better -x -a 'lower higher' -d 'which values are better; unless given, what the metric\'s name says'
complete -c regengine -n '__regengine_is compare' -l confidence -x -d 'confidence of the interval of each row; at 99% one row in a hundred may be wrong'
complete -c regengine -n '__regengine_is compare' -l csv -r -F -d 'file for the table with all digits'
complete -c regengine -n '__regengine_is compare' -l fail-on-regression -f -d 'exit with code 4 if anything is slower'
complete -c regengine -n '__regengine_is compare' -l ignore -x -d 'field in which the runs of one row may differ, such as accelerator_model'
complete -c regengine -n '__regengine_is compare' -l metric -x -d 'metric to compare'
complete -c regengine -n '__regengine_is compare' -l min-effect -x -d 'smallest change that matters'
complete -c regengine -n '__regengine_is compare' -l warmup -x -d 'number of values at the start of each run to leave out'
complete -c regengine -n '__regengine_is descend' -l commit -x -d 'commit that bumps the dependency'
complete -c regengine -n '__regengine_is descend' -l repo -x -a '(__fish_complete_directories)' -d 'repository of the commit, and then those of dependencies; these are remembered in this folder'
complete -c regengine -n '__regengine_is descend' -l budget -x -d 'most runs of each level; unless given, 200, or 400 of a flaky test'
complete -c regengine -n '__regengine_is descend' -l patch -r -F -d 'patch to apply to the first repository'
complete -c regengine -n '__regengine_is descend' -l pin -x -d 'which dependency, if the commit bumps several'
complete -c regengine -n '__regengine_is descend hourly investigate nightly' -l min-effect -x -d 'smallest change to look for; unless given, what the run-to-run noise allows'
complete -c regengine -n '__regengine_is flags retrace' -l test -x -d 'command that tests'
complete -c regengine -n '__regengine_is flags' -l bad -x -d 'a variable of the bad set'
complete -c regengine -n '__regengine_is flags' -l budget -x -d 'most runs; unless given, 200'
complete -c regengine -n '__regengine_is flags' -l build -x -d 'command that builds with the flags'
complete -c regengine -n '__regengine_is flags' -l candidates -r -F -d 'file with flags to add, one a line; with several variables as NAME=FLAG'
complete -c regengine -n '__regengine_is flags' -l good -x -d 'a variable of the good set, flags and all'
complete -c regengine -n '__regengine_is hourly' -l repo -x -a '(__fish_complete_directories)' -d 'repository to check out'
complete -c regengine -n '__regengine_is hourly' -l to -x -d 'last hour'
complete -c regengine -n '__regengine_is hourly' -l branch -x -d 'branch to follow; unless given, the main branch of each repository'
complete -c regengine -n '__regengine_is hourly' -l build -x -d 'command that builds'
complete -c regengine -n '__regengine_is hourly' -l every-hours -x -d 'hours from one checkout to the next'
complete -c regengine -n '__regengine_is hourly' -l from -x -d 'first hour, such as 2023-08-24 or 2023-08-24T13:00; unless given, it goes back to a good one'
complete -c regengine -n '__regengine_is hourly nightly retrace' -l budget -x -d 'most runs; unless given, 200, or 4 times the runs of the first look if that is more'
complete -c regengine -n '__regengine_is hourly nightly retrace' -l every -f -d 'measure everything, not only what the answer needs'
complete -c regengine -n '__regengine_is investigate' -l image -x -a '(__regengine_images)' -d 'image with {date} in it; a folder with --runtime local'
complete -c regengine -n '__regengine_is investigate' -l test -r -F -d 'script that tests, in an image and next to a checkout'
complete -c regengine -n '__regengine_is investigate' -l budget -x -d 'most runs of each stage; unless given, 200'
complete -c regengine -n '__regengine_is investigate' -l build -x -d 'command that builds a checkout, run in the worktree of the first repository'
complete -c regengine -n '__regengine_is investigate' -l descend -f -d 'if the commit bumps a submodule or a pin, go on in the commits of that dependency'
complete -c regengine -n '__regengine_is investigate' -l prove -f -d 'then prove the commit that is found: revert it, and apply it to the good state'
complete -c regengine -n '__regengine_is investigate' -l repo -x -a '(__fish_complete_directories)' -d 'clone of a repository that is at /opt/NAME in the images; with --descend also of a dependency'
complete -c regengine -n '__regengine_is investigate nightly' -l to -x -d 'last night'
complete -c regengine -n '__regengine_is investigate nightly' -l from -x -d 'first night, such as 2023-07-06; unless given, it goes back to a good one'
complete -c regengine -n '__regengine_is investigate nightly' -l parallel -x -d 'nights to measure at the same time'
complete -c regengine -n '__regengine_is investigate nightly' -l keep-images -x -d 'keep so many of the images that it pulls, and those it needs again; unless given, all'
complete -c regengine -n '__regengine_is matmul' -l baseline -x -d 'name of the run to compare with; unless given, the oldest one on this kind of GPU'
complete -c regengine -n '__regengine_is matmul' -l clock -x -d 'the same as --lock-clocks, in MHz'
complete -c regengine -n '__regengine_is matmul' -l csv -r -F -d 'file for all numbers'
complete -c regengine -n '__regengine_is matmul' -l device -x -d 'index of the GPU'
complete -c regengine -n '__regengine_is matmul' -l dtype -x -a 'f32 f16 bf16' -d 'data types'
complete -c regengine -n '__regengine_is matmul' -l from -x -d 'smallest n'
complete -c regengine -n '__regengine_is matmul' -l ieee -f -d 'full f32 products; without it rounded to TF32, as in PyTorch at precision "high"'
complete -c regengine -n '__regengine_is matmul' -l name -x -d 'name of this run; unless given, "driver D cublas C" of this machine'
complete -c regengine -n '__regengine_is matmul' -l step -x -d 'step from one n to the next'
complete -c regengine -n '__regengine_is matmul' -l timeout -x -d 'time limit of one product'
complete -c regengine -n '__regengine_is matmul' -l to -x -d 'largest n'
complete -c regengine -n '__regengine_is nightly' -l image -x -a '(__regengine_images)' -d 'image with {date} in it, such as ghcr.io/nvidia/jax:jax-{date}; a folder with --runtime local'
complete -c regengine -n '__regengine_is nightly' -l test -r -F -d 'script to run in each image; its folder is mounted at /dir'
complete -c regengine -n '__regengine_is nightly' -l reference -x -d 'night that is measured again now and then, to notice when the machine changes'
complete -c regengine -n '__regengine_is open report share show' -F
complete -c regengine -n '__regengine_is open report' -s o -l output -r -F -d 'file to write'
complete -c regengine -n '__regengine_is prove' -l repo -x -a '(__fish_complete_directories)' -d 'repository of the commit'
complete -c regengine -n '__regengine_is prove' -l bad -x -d 'bad revision; unless given, the commit itself'
complete -c regengine -n '__regengine_is prove' -l budget -x -d 'most rounds, in each of which every version runs once'
complete -c regengine -n '__regengine_is prove' -l commit -x -d 'commit to prove'
complete -c regengine -n '__regengine_is prove' -l fix -x -d 'in place of --commit: commit that made it good again; --bad then comes before --good'
complete -c regengine -n '__regengine_is prove' -l good -x -d 'good revision; unless given, the parent of the commit'
complete -c regengine -n '__regengine_is prove' -l min-effect -x -d 'smallest change that matters: it ends once good and bad differ by less'
complete -c regengine -n '__regengine_is prove' -l patch -r -F -d 'patch to apply to every version'
complete -c regengine -n '__regengine_is report' -l follow -f -d 'while a run writes to the store, write the page every half minute; it reloads itself'
complete -c regengine -n '__regengine_is report' -l repo -x -d 'repository for the files that a commit changed; unless given, those of the investigation'
complete -c regengine -n '__regengine_is report' -s y -l yes -f -d 'write the page without a question'
complete -c regengine -n '__regengine_is report share' -l keep-host -f -d 'keep host names and network addresses'
complete -c regengine -n '__regengine_is retrace' -l function -x -d 'function to count, such as f or Model.step'
complete -c regengine -n '__regengine_is retrace' -F
complete -c regengine -n '__regengine_is retrace' -l count -x -a 'traces compiles' -d 'what to count'
complete -c regengine -n '__regengine_is retrace' -l environments -x -d 'folder of the environments, which are kept'
complete -c regengine -n '__regengine_is retrace' -l install -x -d 'command that makes ENVIRONMENT; unless given, venv and pip'
complete -c regengine -n '__regengine_is retrace' -l package -x -d 'package to install'
complete -c regengine -n '__regengine_is share' -s y -l yes -f -d 'write it without a question'
complete -c regengine -n '__regengine_is suite' -l suite -r -F -d 'suite file'
complete -c regengine -n '__regengine_is suite' -l config -x -d 'run this one configuration again and print its output; JSON such as \'{"workload":"gzip"}\''
complete -c regengine -n '__regengine_is suite' -l dump -f -d 'give each process its own folder, $DUMP_DIR'
complete -c regengine -n '__regengine_is suite' -s x -l exclude -x -d 'no workloads that match this regular expression'
complete -c regengine -n '__regengine_is suite' -s k -l filter -x -d 'only workloads that match this regular expression'
complete -c regengine -n '__regengine_is suite' -l filter-by-tier -x -d 'only workloads of this tier of the suite'
complete -c regengine -n '__regengine_is suite' -l image -x -a '(__regengine_images)' -d 'image of the container that the commands run in'
complete -c regengine -n '__regengine_is suite' -l iterations -x -d 'value of $ITERATIONS; per_iter_time is total_time divided by it'
complete -c regengine -n '__regengine_is suite' -l no-resume -f -d 'run everything again; earlier records stay'
complete -c regengine -n '__regengine_is suite' -l order -x -a 'abba random none' -d 'order in which the configurations of a workload take turns'
complete -c regengine -n '__regengine_is suite' -l output-dirname -x -d 'folder for results.jsonl, the store and the dumps'
complete -c regengine -n '__regengine_is suite' -l patch -r -F -d 'unified diff to apply to that revision and record'
complete -c regengine -n '__regengine_is suite' -l print-output -f -d 'print the output of the processes'
complete -c regengine -n '__regengine_is suite' -l processes -x -d 'processes of each experiment if the suite has a metric, with $REPEAT values each'
complete -c regengine -n '__regengine_is suite' -l profile -f -d 'run what is measured now once more, with the suite\'s profiler or with its GPU kernels traced'
complete -c regengine -n '__regengine_is suite' -l repeat -x -d 'processes of each experiment; the value of $REPEAT if the suite has a metric'
complete -c regengine -n '__regengine_is suite' -l repo -x -a '(__fish_complete_directories)' -d 'repository to check out and build; the commands run in it'
complete -c regengine -n '__regengine_is suite' -l rev -x -d 'revision to check out; unless given, HEAD'
complete -c regengine -n '__regengine_is suite' -l seed -x -d 'seed of the random order'
complete -c regengine -n '__regengine_is suite' -l shard -x -d 'part of the suite to run, such as 2/4 for the second of four; each needs its own output folder'
complete -c regengine -n '__regengine_is suite' -l store -r -F -d 'file that the trials are kept in; unless given, suite.db in that folder'
complete -c regengine -n '__regengine_is suite' -l timeout -x -d 'time limit of one process and all that it starts'
complete -c regengine -n '__regengine_is suite' -l verify -f -d 'also compare the results with their reference, as `verify` in the suite says'
complete -c regengine -n '__regengine_is suite' -l warmup -x -d 'processes to run first and not count; unless given, 1, or 0 if the suite has a metric'
complete -c regengine -n '__regengine_is why' -l budget -x -d 'most pairs of runs without collection'
complete -c regengine -n '__regengine_is why' -F
complete -c regengine -n '__regengine_is why' -l metric -x -d 'compare this number in the output, such as \'step time: {number}\'; unless given, the wall time'
complete -c regengine -n '__regengine_is why' -l min-effect -x -d 'smallest difference that matters'
