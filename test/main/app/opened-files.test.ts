import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOpenedFiles } from '../../../src-main/app/opened-files.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

function opening() {
  const told: string[] = []
  const files = createOpenedFiles({ emit: (name: string) => void told.push(name) })
  return { told, open: files.open, ...files.handlers }
}

test('an opened file is read in pieces by id, and refused after it has changed', async () => {
  using directory = temporaryDirectory()
  const path = join(directory.path, 'x.har')
  writeFileSync(path, 'abcdef')
  const { told, open, ...files } = opening()
  await open(path)
  expect(told).toEqual(['file.opened'])
  const taken = files['file.takeOpened']()
  const id = taken.files[0]?.id ?? ''
  expect(taken).toEqual({ files: [{ id, name: 'x.har', bytes: 6 }], problems: [] })
  expect(files['file.takeOpened']()).toEqual({ files: [], problems: [] })

  const read = async (offset: number, bytes: number) =>
    Buffer.from((await files['file.read']({ id, offset, bytes })).base64, 'base64').toString()
  expect([await read(0, 4), await read(4, 100), await read(9, 1)]).toEqual(['abcd', 'ef', ''])

  writeFileSync(path, 'abcdefg')
  await expect(read(0, 1)).rejects.toThrow(/“x.har” was moved, changed or deleted/)
  await expect(files['file.read']({ id: path, offset: 0, bytes: 1 })).rejects.toThrow(/deleted/)
})

test('links, folders, pipes and missing files are refused with a reason and never read', async () => {
  using directory = temporaryDirectory()
  const at = (name: string) => join(directory.path, name)
  writeFileSync(at('secret.har'), 'x')
  symlinkSync(at('secret.har'), at('link.har'))
  mkdirSync(at('folder.har'))
  const { open, ...files } = opening()
  const reasons = [
    ['link.har', 'is a link to another file'],
    ['folder.har', 'is a folder'],
    ['missing.har', 'does not exist'],
    ['secret.har/x.har', 'does not exist'],
    ['program.exe', 'Tondesk opens files that end in .har'],
  ]
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [at('pipe.har')])
    reasons.push(['pipe.har', 'is a device or a connection'])
  }
  for (const [name = '', reason] of reasons) {
    await open(at(name))
    const taken = files['file.takeOpened']()
    expect(taken.files, name).toEqual([])
    expect(taken.problems[0]?.detail).toContain(reason)
  }
})

test('invisible characters of a file name are replaced', async () => {
  using directory = temporaryDirectory()
  const path = join(directory.path, 'x\u202erah.\u200b.har')
  writeFileSync(path, '')
  const { open, ...files } = opening()
  await open(path)
  expect(files['file.takeOpened']().files[0]?.name).toBe('x\ufffdrah.\ufffd.har')
})

test('the ten newest problems of 100 files that fail to open are stored', async () => {
  const { open, ...files } = opening()
  for (let count = 0; count < 100; count += 1) await open(`/nowhere/${count}.har`)
  const { problems } = files['file.takeOpened']()
  expect(problems).toHaveLength(10)
  expect(problems.at(-1)?.title).toBe('“99.har” could not be opened')
})
