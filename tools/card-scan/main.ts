/** `npm run scan:cards [-- <stack dir>]`: searches a stack for card numbers. Exit 1 when one is found, 2 when not everything was read. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readStack } from '@gateway-infra/local/stack-file'
import { nativeDataDir } from '@gateway-infra/offline/backing/rootfs'
import { readPaths } from '@gateway-infra/system/paths'
import { reportLines, scanStack } from './scan-stack.ts'

process.exitCode = await main(process.argv[2]).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})

async function main(given: string | undefined): Promise<number> {
  const { stateDir, cacheDir } = readPaths(process.env)
  const stackDir = given === undefined ? stateDir : resolve(given)
  if (!existsSync(stackDir)) throw new Error(`there is no ${stackDir}`)
  const mongoUrl = readStack(stackDir)?.mongo_url
  const scanned = await scanStack({ stackDir, cacheDir, mongoUrl, databasePrefix: process.env['DATABASE_PREFIX'] ?? '' })
  for (const line of reportLines(scanned)) console.log(line)

  const hits = scanned.flatMap(({ findings }) => findings).length
  if (!existsSync(join(cacheDir, 'rootfs', nativeDataDir(stackDir))))
    console.log('not read: the files of database and broker, which are not on this machine')
  if (mongoUrl === undefined) console.log('not read: documents, because the stack is not running')
  console.log(hits === 0 ? 'no card number was found' : `${hits} card numbers were found`)
  return hits > 0 ? 1 : mongoUrl === undefined ? 2 : 0
}
