// Runs electron-builder with one platform's file rules, as a child of the package check on Node 24.
// A stub with only fuses replaces Electron's binary. Packing a folder for Linux works on every
// system, so the rules of all platforms are checked on each. The target `deb` is built from the
// same folder, with build/lib/assemble-deb.mjs instead of fpm.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'

const require = createRequire(import.meta.url)
const { Arch, build, Platform } = require('electron-builder')
const config = require('../electron-builder.config.cjs')

const [root, folder, platform, arch, target = 'dir'] = process.argv.slice(2)
const section = { linux: 'linux', darwin: 'mac', win32: 'win' }[platform]
const electron = join(folder, 'electron')
mkdirSync(join(electron, 'resources'), { recursive: true })
// The bytes that @electron/fuses searches for and writes: version 1 and nine unset fuses.
const fuses = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('1'.repeat(9)),
])
writeFileSync(join(electron, 'electron'), fuses, { mode: 0o755 })

process.env.CUSTOM_FPM_PATH = join(root, 'build', 'lib', 'assemble-deb.mjs')

await build({
  projectDir: root,
  publish: 'never',
  targets: Platform.LINUX.createTarget([target], Arch[arch]),
  config: {
    ...config,
    electronDist: electron,
    directories: { ...config.directories, output: join(folder, 'dist') },
    linux: { ...config.linux, files: config[section].files },
  },
})
