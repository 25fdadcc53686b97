import { randomBytes } from 'node:crypto'
import { Option } from 'commander'
import type { Gateway, ListedOrder, NewOrder, Order, OrderMethod, OrdersQuery } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { coloured } from '../io.ts'
import { duration, orderId, wholeNumber } from '../parse.ts'
import { defined, type CommandContext, type PgwCommand } from '../pgw-command.ts'
import { isLive } from '../profile/settings.ts'
import { describeOrder } from './describe-order.ts'

/** The order's optional texts: each is an option with its own name, such as `--return-url` for `return_url`. */
type Text = {
  [Key in keyof NewOrder]-?: undefined extends NewOrder[Key] ? (string extends NewOrder[Key] ? Key : never) : never
}[keyof NewOrder]
/** An object, so that a text which is left out does not compile. */
const TEXTS = Object.keys({ description: '', return_url: '', udf1: '', udf2: '', udf3: '' } satisfies Record<Text, ''>)

/** The name under which commander passes an option on. */
type FlagOf<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Rest>}` : Name
const flagOf = (name: string): string => name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase())

export interface OrderFlags extends Readonly<Partial<Record<FlagOf<Text>, string>>> {
  readonly order?: string
  readonly amount: string
  readonly name?: string
  readonly email?: string
  readonly phone?: string
  readonly methods?: OrderMethod[]
  readonly expiresIn?: number
  readonly maxAttempts?: number
}

export const DEFAULT_AMOUNT = '499.00'
const DEFAULT_WAIT = '20m'
/** The sandbox's shopper, when none is given. */
const SHOPPER = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }

export function addOrders(program: PgwCommand): void {
  const orders = program.command('orders').description('create orders and look at them')
  addCreate(orders)
  orders
    .command('get <order>')
    .description('show an order with its transaction; exits with 1 when there is none')
    .does(async ({ output, gateway }, orderId: string) => {
      const order = await findOrder(gateway(), orderId)
      output.result(order, describeOrder(order))
    })
  addList(orders)
  orders
    .command('wait <order>')
    .description('wait until the payment has ended: 0 Success, 1 Failed, 6 not yet')
    .option('--timeout <duration>', 'how long to wait', duration, duration(DEFAULT_WAIT))
    .does(async (context, orderId: string, { timeout }: { timeout: number }) => {
      const order = await waitForOrder(context, orderId, timeout)
      if (order.transaction.status !== 'Success') throw new CliError(`The payment of ${orderId} has failed`, EXIT.negative)
    })
}

interface ListFlags extends Pick<OrdersQuery, 'status' | 'method' | 'rrn' | 'from' | 'to'> {
  readonly order?: string
  readonly payer?: string
  readonly refunded?: NonNullable<OrdersQuery['refund_state']>
  readonly min?: string
  readonly max?: string
  readonly limit: number
}

function addList(orders: PgwCommand): void {
  orders
    .command('list')
    .description('newest first')
    .addOption(new Option('--status <status>').choices(['Initiate', 'Pending', 'Success', 'Failed']))
    .addOption(new Option('--method <method>').choices(['upi', 'credit_card', 'debit_card', 'netbanking']))
    .option('--order <id>', 'the order with this id', orderId)
    .option('--rrn <number>', "the bank's number of any attempt, reversal or refund")
    .option('--payer <address>', "the payer's UPI address, such as asha@okbank")
    .addOption(new Option('--refunded <part>', 'how much was refunded').choices(['none', 'partial', 'full']))
    .option('--min <rupees>', 'of at least this amount')
    .option('--max <rupees>', 'of at most this amount')
    .hasPeriod()
    .lists({
      limit: 20,
      list({ orders }, { order, payer, refunded, min, max, ...query }: ListFlags) {
        const more = { order_id: order, payer_vpa: payer, refund_state: refunded, amount_min: min, amount_max: max }
        return orders.list({ ...query, ...defined(more) })
      },
      describe: describeListed,
    })
}

function describeListed(listed: ListedOrder): string {
  const { created_at, order_id, status, amount, method, rrn, failure_code, refund_state, amount_refunded } = listed
  return [
    created_at,
    order_id,
    coloured(status),
    `${amount} INR`,
    method ?? '-',
    ...(rrn === null ? [] : [`rrn ${rrn}`]),
    ...(failure_code === null ? [] : [failure_code]),
    ...(refund_state === 'none' ? [] : [`refunded ${amount_refunded} INR`]),
  ].join('  ')
}

function addCreate(orders: PgwCommand): void {
  const create = orders
    .command('create')
    .description('create an order; the same one again gives the same answer')
    .option('--order <id>', 'your own id (default: a new one)')
    .option('--amount <rupees>', 'such as 499.00', DEFAULT_AMOUNT)
    .option('--name <name>', "the shopper's name")
    .option('--email <address>', 'of the shopper; with a live key --email or --phone is needed')
    .option('--phone <number>', 'of the shopper, such as 98765 43210 or +1 415 555 2671')
    .addOption(new Option('--methods <method...>', 'all by default').choices(['upi', 'card', 'netbanking']))
    .option('--expires-in <seconds>', 'until the order can no longer be paid', wholeNumber)
    .option('--max-attempts <number>', 'how many payments the shopper may try', wholeNumber)
    .does(async ({ output, gateway, settings }, flags: OrderFlags) => {
      const created = await gateway().orders.create(newOrder(flags, isLive(settings.keyId?.value ?? '')))
      const { order, checkout } = created
      const lines = [`order     ${order.order_id}${created.created ? '' : ' (existed already)'}`, `page      ${checkout.url}`]
      output.result(created, [...lines, ...(checkout.intent === '' ? [] : [`UPI link  ${checkout.intent}`])].join('\n'))
    })
  for (const name of TEXTS) create.option(`--${name.replaceAll('_', '-')} <text>`)
}

/** @param isLiveKey then the shopper must be given */
export function newOrder(flags: OrderFlags, isLiveKey: boolean): NewOrder {
  const { order, amount, methods, expiresIn, maxAttempts, ...others } = flags
  const { name, email, phone } = {
    ...(isLiveKey ? {} : SHOPPER),
    ...defined({ name: flags.name, email: flags.email, phone: flags.phone }),
  }
  if (name === undefined || (email === undefined && phone === undefined))
    throw new CliError('With a live key, give the shopper: --name, and --email or --phone')
  return {
    order_id: order ?? `ORD-${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`,
    amount,
    customer: { name, ...defined({ email, phone }) },
    ...defined({ methods, expires_in: expiresIn, max_attempts: maxAttempts }),
    ...textsIn(others),
  }
}

function textsIn(flags: Readonly<Record<string, string | undefined>>): Pick<NewOrder, Text> {
  return defined(Object.fromEntries(TEXTS.map((name) => [name, flags[flagOf(name)]])))
}

/** Throws with exit code 1 when there is no such order. */
export async function findOrder(gateway: Gateway, orderId: string): Promise<Order> {
  const order = await gateway.orders.find(orderId)
  if (!order) throw new CliError(`There is no order ${orderId}`, EXIT.negative)
  return order
}

/** Prints the order once it is final, and each change before on stderr. */
export async function waitForOrder({ output, gateway }: CommandContext, orderId: string, timeoutMs: number): Promise<Order> {
  const onChange = ({ transaction: { status } }: Order) => output.note(`${orderId} is ${status}`)
  const order = await gateway().orders.waitForFinal(orderId, { timeoutMs, onChange })
  output.result(order, describeOrder(order))
  return order
}
