// A stand-in for `npm exec`: starts a tool server and waits. On SIGUSR2 it becomes another program in place, so that the server has a
// new parent with the same pid.
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

const [program, ...args] = process.argv.slice(2);
const { DIR, OWNER_PORT } = process.env;
process.title = `npm exec ${program}`;
const NODE_OPTIONS = `--require ${join(__dirname, 'keep-alive.cjs')}`;
const server = spawn(program, args, { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS } });
writeFileSync(join(DIR, 'server.pid'), String(server.pid));
process.on('SIGUSR2', () => {
  const owner = join(__dirname, 'new-owner.cjs');
  process.execve(process.execPath, [process.execPath, owner, OWNER_PORT, join(DIR, 'acted')], process.env);
});
