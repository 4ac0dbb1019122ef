import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  dataPaths,
  makePrivateDirectory,
  resolveDataDirectory,
} from '../../../src-main/app/paths.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const linux = { env: {}, platform: 'linux', homedir: '/home/ann' } as const
const windows = { env: {}, platform: 'win32', homedir: 'C:\\Users\\ann' } as const

test('each platform has its own default data directory', () => {
  expect(resolveDataDirectory(linux)).toBe('/home/ann/.local/share/tondesk')
  expect(resolveDataDirectory({ ...linux, platform: 'darwin' })).toBe(
    '/home/ann/Library/Application Support/Tondesk',
  )
  expect(resolveDataDirectory(windows)).toBe('C:\\Users\\ann\\AppData\\Roaming\\Tondesk')
})

test("a changed base directory of the user's data is respected", () => {
  expect(resolveDataDirectory({ ...linux, env: { XDG_DATA_HOME: '/data' } })).toBe('/data/tondesk')
  expect(resolveDataDirectory({ ...windows, env: { APPDATA: 'D:\\Roaming' } })).toBe(
    'D:\\Roaming\\Tondesk',
  )
})

test('--data-dir takes precedence over the environment, and the environment over the default', () => {
  const env = { TONDESK_DATA_DIR: '/by/env', XDG_DATA_HOME: '/data' }
  expect(resolveDataDirectory({ ...linux, env })).toBe('/by/env')
  expect(resolveDataDirectory({ ...linux, env, flag: '/by/flag' })).toBe('/by/flag')
})

test('an empty environment variable leaves the default data directory', () => {
  expect(resolveDataDirectory({ ...linux, env: { TONDESK_DATA_DIR: '' } })).toBe(
    '/home/ann/.local/share/tondesk',
  )
})

test('two spellings of a directory are resolved to the same path', () => {
  const spelt = (flag: string) => resolveDataDirectory({ ...linux, flag })
  expect(spelt('/srv/tondesk/../data/')).toBe('/srv/data')
  expect(spelt('/srv/data/')).toBe('/srv/data')
})

test('all files are below the data directory, and no two paths are the same', () => {
  const paths = Object.values(dataPaths('/srv/data'))
  expect(paths.every((path) => path.startsWith(join('/srv/data')))).toBe(true)
  expect(new Set(paths).size).toBe(paths.length)
})

test(
  'a new data directory is closed to other users',
  { skip: process.platform === 'win32' },
  () => {
    using directory = temporaryDirectory()
    const path = join(directory.path, 'a', 'b')
    makePrivateDirectory(path)
    expect(statSync(path).mode & 0o777).toBe(0o700)
  },
)

test('a file at the path of the data directory is an error', () => {
  using directory = temporaryDirectory()
  const path = join(directory.path, 'taken')
  writeFileSync(path, '')
  expect(() => makePrivateDirectory(path)).toThrow()
})
