// A preload for servers that do not exit when their standard input ends, as many leaked ones: a timer is pending and exit is ignored.
setInterval(() => {}, 1 << 30);
process.exit = () => {};
process.on('SIGPIPE', () => {});
process.on('uncaughtException', () => {});
