/**
 * `npm run scan:cards [-- <stack dir>]`: searches everything that a stack stores for card numbers: its directory, the files of its
 * engines, every document of its databases. Exit 1 when one is found, 2 when not everything was read.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { mongo } from 'mongoose'
import { describeFinding } from '@gateway/contracts'
import { readStack } from '@gateway-infra/local/stack-file'
import { nativeDataDir } from '@gateway-infra/offline/backing/rootfs'
import { readPaths, type Paths } from '@gateway-infra/system/paths'
import { scanStream, type Source } from './scan-stream.ts'
import { documents, engineFiles, stackFiles } from './sources.ts'

interface StackToScan extends Pick<Paths, 'cacheDir'> {
  readonly stackDir: string
  /** Without it, documents are not read. */
  readonly mongoUrl: string | undefined
  readonly databasePrefix: string
}

export type ScannedSource = Pick<Source, 'group' | 'name'> & Awaited<ReturnType<typeof scanStream>>

/** More numbers of one source are only counted. */
const SHOWN_PER_SOURCE = 20

/** Reads one source after the other, so that memory stays bounded. Throws when a source cannot be read. */
export async function scanStack({ stackDir, cacheDir, mongoUrl, databasePrefix }: StackToScan): Promise<ScannedSource[]> {
  const engines = await engineFiles(join(cacheDir, 'rootfs', nativeDataDir(stackDir)))
  const files = await scanAll([...(await stackFiles(stackDir)), ...engines])
  if (mongoUrl === undefined) return files
  await using client = await new mongo.MongoClient(mongoUrl, { serverSelectionTimeoutMS: 5000 }).connect()
  return [...files, ...(await scanAll(await documents(client, databasePrefix)))]
}

async function scanAll(sources: readonly Source[]): Promise<ScannedSource[]> {
  const scanned: ScannedSource[] = []
  for (const { group, name, policy, open } of sources) scanned.push({ group, name, ...(await scanStream(open(), policy)) })
  return scanned
}

/** One line for each group of sources and one for each number; no number is ever shown. */
export function reportLines(scanned: readonly ScannedSource[]): string[] {
  const lines = [...Map.groupBy(scanned, ({ group }) => group)].map(([group, sources]) => {
    const bytes = sources.reduce((total, source) => total + source.bytes, 0)
    const hits = sources.reduce((total, { findings }) => total + findings.length, 0)
    return `${group}: ${hits} hits in ${sources.length} files or collections, ${bytes.toLocaleString('en')} bytes read`
  })
  return [...lines, ...scanned.flatMap(hitLines)]
}

function hitLines({ group, name, findings }: ScannedSource): string[] {
  const shown = findings.slice(0, SHOWN_PER_SOURCE)
  const lines = shown.map(
    (finding) => `hit: ${group}, ${name} at byte ${finding.start}: ${finding.form}, ${describeFinding(finding)}`,
  )
  return findings.length > shown.length ? [...lines, `hit: ${group}, ${name}: ${findings.length - shown.length} more`] : lines
}

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

if (import.meta.main)
  process.exitCode = await main(process.argv[2]).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return 2
  })
