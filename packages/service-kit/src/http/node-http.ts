/**
 * `node:http` without Node's built-in fetch. An `import` of `node:http` reads all of its exports, and the one named WebSocket
 * makes Node load fetch and all that belongs to it. Fetching the module by this function reads only what is named here.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
