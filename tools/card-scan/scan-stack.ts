/** Scans everything that a stack stores: its directory, the files of its engines, every document of its databases. */
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { describeFinding } from '@gateway/contracts'
import { nativeDataDir } from '@gateway-infra/offline/backing/rootfs'
import type { Paths } from '@gateway-infra/system/paths'
import { scanStream, type Source } from './scan-stream.ts'
import { documents } from './sources/documents.ts'
import { engineFiles, stackFiles } from './sources/files.ts'

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
