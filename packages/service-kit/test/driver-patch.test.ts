import { readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

const file = createRequire(createRequire(import.meta.url).resolve('mongoose')).resolve('mongodb/lib/cmap/connection.js')
const patched = readFileSync(file, 'utf8')
const patch = readFileSync(new URL('../../../patches/mongodb@7.8.0.patch', import.meta.url), 'utf8')

/** The source before the patch: its added lines go, its removed lines come back. */
function unpatched(): string {
  const [, ...hunks] = patch.split(/^@@.*\n/mu)
  return hunks.reduce((source, hunk) => {
    const lines = hunk.split('\n').filter((line) => /^[ +-]/u.test(line))
    const textOf = (left: string) => lines.filter((line) => !line.startsWith(left)).map((line) => line.slice(1)).join('\n') // prettier-ignore
    if (!source.includes(textOf('-'))) throw new Error('the installed driver does not have the patch')
    return source.replace(textOf('-'), () => textOf('+'))
  }, patched)
}

interface DriverConnection {
  socket: Writable
  writeCommand(command: object, options: object): Promise<void>
}

/** What a command does whose socket is destroyed when it is written. */
async function commandOnDestroyedSocket(source: string): Promise<'waits' | 'ends'> {
  const module = new Module(file) as Module & { _compile(source: string, file: string): void }
  module.filename = file
  module._compile(source, file)
  const { Connection } = module.exports as { Connection: { prototype: DriverConnection } }
  const connection = Object.create(Connection.prototype) as DriverConnection
  connection.socket = new Writable().destroy()
  const ended = connection.writeCommand({ toBin: async () => [Buffer.from('x')] }, { agreedCompressor: 'none' })
  const known = ended.then(
    () => 'ends' as const,
    () => 'ends' as const,
  )
  const waits = async () => {
    for (let turns = 0; turns < 20; turns++) await turn()
    return 'waits' as const
  }
  return Promise.race([known, waits()])
}

test('the driver still needs its patch: without it, a command waits without end for a destroyed socket (docs/adr/0013)', async () => {
  expect(await commandOnDestroyedSocket(unpatched())).toBe('waits')
  expect(await commandOnDestroyedSocket(patched)).toBe('ends')
})
