import { connect } from 'amqplib'
import { createSandbox } from '@gateway/testkit'

test('a look at a queue that does not exist yet rejects, and the next look sees the queue', async () => {
  const sandbox = await createSandbox()
  const queue = `${sandbox.amqpPrefix}later`
  await expect(sandbox.messageCount(queue)).rejects.toMatchObject({ code: 404 })

  const connection = await connect(sandbox.amqpUrl)
  const channel = await connection.createChannel()
  await channel.assertQueue(queue, { exclusive: false, durable: true, autoDelete: true })
  expect(await sandbox.messageCount(queue)).toBe(0)

  await channel.deleteQueue(queue)
  await connection.close()
  await sandbox.remove([])
})
