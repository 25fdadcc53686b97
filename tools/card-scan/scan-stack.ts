/** Scans everything that a stack stores: its directory, the files of its engines, every document of its databases. */
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { describeFinding } from '@gateway/contracts'
import { nativeDataDir } from '@gateway-infra/offline/backing/native-data'
import type { Paths } from '@gateway-infra/system/paths'
import { table } from '@gateway-tools/load/figures'
import { sum } from '@gateway-tools/load/statistics'
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
  const rows = [...Map.groupBy(scanned, ({ group }) => group)].map(([group, sources]) => {
    const bytes = sum(sources.map((source) => source.bytes))
    return [group, `${sources.length}`, bytes.toLocaleString('en'), `${sources.flatMap(({ findings }) => findings).length}`]
  })
  const hits = scanned.flatMap(({ group, name, findings }) => [
    ...findings
      .slice(0, SHOWN_PER_SOURCE)
      .map((one) => `hit: ${group}, ${name} at byte ${one.start}: ${one.form}, ${describeFinding(one)}`),
    ...(findings.length > SHOWN_PER_SOURCE ? [`hit: ${group}, ${name}: ${findings.length - SHOWN_PER_SOURCE} more`] : []),
  ])
  return [table([['source', 'files or collections', 'bytes read', 'hits'], ...rows]), ...hits]
}
