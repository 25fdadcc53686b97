/** `on-backing.ts <script> [...arguments]`: runs a program on a database and a broker, temporary ones unless some are given. */
import { runCommand } from '@gateway-infra/system/run-command'
import { runOnBacking } from '../temporary-backing.ts'

await runCommand((context, [script = '', ...args]) => runOnBacking(script)(context, args))
