-- regengine help TOPIC. It is not a script, so its messages name no line.

reg.help(...)
