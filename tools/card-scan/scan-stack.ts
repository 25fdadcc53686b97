/** Scans everything that a stack stores: its directory, the files of its engines, every document of its databases. */
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { describeFinding } from '@gateway/contracts'
import { nativeDataDir } from '@gateway-infra/offline/backing/native-data'
import { table } from '@gateway-tools/load/figures'
import { scanStream, type ScanResult, type Source } from './scan-stream.ts'
import { documents } from './sources/documents.ts'
import { engineFiles, stackFiles } from './sources/files.ts'

export interface StackToScan {
  readonly stackDir: string
  /** Holds the data of native engines, below `rootfs/data`. */
  readonly cacheDir: string
  /** Without it, documents are not read. */
  readonly mongoUrl: string | undefined
  /** What the names of its databases begin with. */
  readonly databasePrefix: string
}

export interface ScannedSource extends ScanResult {
  readonly group: string
  readonly name: string
}

/** More numbers of one source are only counted. */
const SHOWN_PER_SOURCE = 20

/** Reads one source after the other, so that memory stays bounded. Throws when a source cannot be read. */
export async function scanStack({ stackDir, cacheDir, mongoUrl, databasePrefix }: StackToScan): Promise<ScannedSource[]> {
  const engines = await engineFiles(join(cacheDir, 'rootfs', nativeDataDir(stackDir)))
  const scanned = await scanAll([...(await stackFiles(stackDir)), ...engines])
  if (mongoUrl === undefined) return scanned
  const client = await new mongo.MongoClient(mongoUrl, { serverSelectionTimeoutMS: 5000 }).connect()
  try {
    return [...scanned, ...(await scanAll(await documents(client, databasePrefix)))]
  } finally {
    await client.close()
  }
}

async function scanAll(sources: readonly Source[]): Promise<ScannedSource[]> {
  const scanned: ScannedSource[] = []
  for (const { group, name, policy, open } of sources) scanned.push({ group, name, ...(await scanStream(open(), policy)) })
  return scanned
}

/** One line for each group of sources and one for each number; no number is ever shown. */
export function reportLines(scanned: readonly ScannedSource[]): string[] {
  const rows = [...Map.groupBy(scanned, ({ group }) => group)].map(([group, sources]) => {
    const bytes = sources.reduce((total, source) => total + source.bytes, 0)
    const hits = sources.reduce((total, { findings }) => total + findings.length, 0)
    return [group, `${sources.length}`, bytes.toLocaleString('en'), `${hits}`]
  })
  return [table([['source', 'files or collections', 'bytes read', 'hits'], ...rows]), ...scanned.flatMap(hitLines)]
}

function hitLines({ group, name, findings }: ScannedSource): string[] {
  const shown = findings.slice(0, SHOWN_PER_SOURCE)
  const lines = shown.map(
    (finding) => `hit: ${group}, ${name} at byte ${finding.start}: ${finding.form}, ${describeFinding(finding)}`,
  )
  return findings.length > shown.length ? [...lines, `hit: ${group}, ${name}: ${findings.length - shown.length} more`] : lines
}
