// Answers every request with an endless slow download, as a bad network does.
const server = require('node:http').createServer((request, response) => {
  response.on('error', () => {});
  response.writeHead(200, { 'content-length': '1000000000', 'content-type': 'application/octet-stream' });
  const timer = setInterval(() => response.write(Buffer.alloc(2048)), 200);
  response.on('close', () => clearInterval(timer));
});
server.requestTimeout = 0;
server.listen(Number(process.argv[2]), '127.0.0.1');
