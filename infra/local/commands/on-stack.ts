/** `on-stack.ts <script> [...arguments]`: runs a program on the running stack, or on one that is started for it. */
import { basename } from 'node:path'
import { runCommand } from '@gateway-infra/system/command'
import { onStack } from '../on-stack.ts'

await runCommand((context, [script = '', ...args]) => onStack(basename(script, '.ts'), script)(context, args))
