// A preload for a leaked tool server: on SIGUSR2 it does what the file $CONTROL says, so that a veto appears after the plan.
require('./keep-alive.cjs');
const fs = require('node:fs');
const net = require('node:net');

const held = [];
// Each calls done when the change is real.
const ACTIONS = {
  client: (folder, done) => {
    const server = net.createServer((socket) => held.push(socket.on('error', () => {})));
    server.listen(0, '127.0.0.1', () => {
      fs.writeFileSync(`${folder}/port`, String(server.address().port));
      done();
    });
  },
  lock: (folder, done) => {
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(`${folder}/data.db`);
    database.exec('begin exclusive');
    held.push(database);
    done();
  },
  write: (folder, done) => {
    const file = fs.openSync(`${folder}/output`, 'a');
    setInterval(() => fs.writeSync(file, 'line\n'), 100);
    done();
  },
  display: (_folder, done) => {
    const socket = net.connect('/tmp/.X11-unix/X77');
    // The start of the X11 protocol: little endian, version 11.0, no authorization. The server answers when it has accepted.
    socket.on('error', () => {}).once('data', done);
    socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    held.push(socket);
  },
};

process.on('SIGUSR2', () => {
  const [action, folder] = fs.readFileSync(process.env.CONTROL, 'utf8').trim().split(' ');
  ACTIONS[action](folder, () => fs.writeFileSync(`${folder}/acted`, ''));
});
