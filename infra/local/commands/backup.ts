import { type Command, runCommand } from '@gateway-infra/system/command'
import { dump } from '../backup/dump.ts'
import { databaseServer, readFolder } from '../read-arguments.ts'

/** Copies the databases of the running stack, or of `MONGO_URL`, into a folder (docs/operations/backup-and-restore.md). */
const backup: Command = async (context, args) => {
  const { folder } = readFolder(context.env, 'backup', args, [])
  const databasePrefix = context.env['DATABASE_PREFIX'] ?? ''
  await dump({ mongoUrl: databaseServer(context), databasePrefix, folder, say: (line) => console.log(line) })
  console.log(`${folder} is complete. It contains personal data and sealed secrets: protect it like the database`)
  return 0
}

await runCommand(backup)
