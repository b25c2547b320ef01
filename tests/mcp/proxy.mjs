// Hands requests on with a token, for a conformance suite that knows none: `node proxy.mjs BASE TOKEN`; prints its port.
import { createServer, request } from "node:http";

const [base, token] = process.argv.slice(2);
const target = new URL(base);
const server = createServer((from, to) => {
    const headers = { ...from.headers, authorization: `Bearer ${token}` };
    const asked = { host: target.hostname, port: target.port, path: from.url, method: from.method, headers };
    const handed = request(asked, (answer) => {
        to.writeHead(answer.statusCode, answer.headers);
        answer.pipe(to);
    });
    handed.on("error", () => to.writeHead(502).end());
    from.pipe(handed);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
