import { createUndoStack } from './undo.ts'

test('what came up last goes down first, and one failure does not keep the rest up', async () => {
  const order: string[] = []
  const undo = createUndoStack()
  undo.add(() => void order.push('backing'))
  undo.add(async () => Promise.reject(new Error('stuck')))
  undo.add(() => void order.push('services'))

  await expect(undo.run()).rejects.toThrow('stuck')
  expect(order).toEqual(['services', 'backing'])
  await expect(undo.run()).resolves.toBeUndefined()
})
