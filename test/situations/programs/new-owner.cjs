// What a wrapper becomes when an owner takes over: a living program with a connection.
const socket = require('node:net').connect(Number(process.argv[2]), '127.0.0.1');
socket.on('connect', () => require('node:fs').writeFileSync(process.argv[3], ''));
