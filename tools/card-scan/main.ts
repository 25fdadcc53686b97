/** `npm run scan:cards [-- <stack dir>]`: whether a card number is left anywhere. Exit 1 when there is one, 2 when not all was read. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nativeDataDir } from '@gateway-infra/offline/backing/native-data'
import { readPaths } from '@gateway-infra/system/paths'
import { reportLines } from './report.ts'
import { scanStack } from './scan-stack.ts'

process.exitCode = await main(process.argv[2]).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})

async function main(given: string | undefined): Promise<number> {
  const { stateDir, cacheDir } = readPaths(process.env)
  const stackDir = given === undefined ? stateDir : resolve(given)
  if (!existsSync(stackDir)) throw new Error(`there is no ${stackDir}`)
  const mongoUrl = mongoUrlOf(stackDir)
  const scanned = await scanStack({ stackDir, cacheDir, mongoUrl, databasePrefix: process.env['DATABASE_PREFIX'] ?? '' })
  for (const line of reportLines(scanned)) console.log(line)

  const hits = scanned.reduce((total, { findings }) => total + findings.length, 0)
  const engines = existsSync(join(cacheDir, 'rootfs', nativeDataDir(stackDir)))
  if (!engines)
    console.log('not read: the files of database and broker, which are not on this machine (documents are still read)')
  if (mongoUrl === undefined) console.log('not read: the documents, for the stack does not run')
  console.log(hits === 0 ? 'no card number was found' : `${hits} card numbers were found`)
  return hits > 0 ? 1 : mongoUrl === undefined ? 2 : 0
}

/** As the running stack says. */
function mongoUrlOf(stackDir: string): string | undefined {
  const file = join(stackDir, 'stack.json')
  if (!existsSync(file)) return undefined
  const stack: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof stack === 'object' && stack !== null && 'mongo_url' in stack && typeof stack.mongo_url === 'string')
    return stack.mongo_url
  throw new Error(`${file} names no database`)
}
