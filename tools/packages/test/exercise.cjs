/** Run in the projects that `npm run test:packages` makes, with the packed SDK: see tools/packages/main.ts. */

/** The same in each project: a signature made and verified, a call to a real server, and errors that `instanceof` knows. */
module.exports.exercise = async function exercise({
  Gateway,
  ApiError,
  GatewayError,
  SignatureError,
  createReceiver,
  memoryStore,
  sign,
  verify,
}) {
  const assert = (fact, what) => {
    if (!fact) throw new Error(what)
  }
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ status: 404, code: 'endpoint_not_found', detail: 'none', request_id: 'r1' }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const credentials = { key_id: 'key_sandbox_1', key_secret: Buffer.alloc(32, 7).toString('base64url') }
  const gateway = new Gateway({ baseUrl: 'http://127.0.0.1:' + server.address().port, credentials })
  const refused = await gateway.endpoint.get().catch((error) => error)
  server.close()
  server.closeAllConnections?.()
  assert(refused instanceof ApiError && refused instanceof GatewayError && refused instanceof Error, 'ApiError')
  assert(refused.code === 'endpoint_not_found' && refused.requestId === 'r1', 'details')
  const secret = 'whsec_' + Buffer.alloc(32, 1).toString('base64')
  const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status: 'Pending' })
  const headers = await sign(body, secret)
  assert((await verify(body, headers, secret)).payload.txnid === 'T1', 'verify')
  const forged = await verify(body + ' ', headers, secret).catch((error) => error)
  assert(forged instanceof SignatureError && !(forged instanceof ApiError), 'SignatureError')
  const receiver = createReceiver({ gateway, secrets: secret, store: memoryStore(), onFinal: () => {} })
  assert((await receiver.handle(body, headers)) === 200 && (await receiver.handle('x', headers)) === 401, 'receiver')
}

/** The ESM and the CommonJS build are two copies, whose errors know each other. */
module.exports.compareCopies = function compareCopies(esm, cjs) {
  if (esm.Gateway === cjs.Gateway) throw new Error('these are to be two copies')
  const error = new cjs.ApiError('refused', { code: 'x', status: 409 })
  if (!(error instanceof esm.ApiError) || error instanceof esm.TimeoutError)
    throw new Error('errors of the other copy are unknown')
}
