import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'
import { prefixOf, readArguments } from '../backup/arguments.ts'
import { dump } from '../backup/dump.ts'
import { databaseServer } from '../service-script.ts'

const say = (line: string): void => console.log(line)

/** Copies the databases of the running stack, or of `MONGO_URL`, into a folder (docs/operations/backup-and-restore.md). */
const backup: Command = async (context, args) => {
  const { folder } = readArguments(context, 'backup', args, [])
  await dump({ mongoUrl: databaseServer(context), databasePrefix: prefixOf(context), folder, say })
  console.log(`${folder} is complete. It contains personal data and sealed secrets: protect it like the database`)
  return 0
}

await runCommand(backup)
