#!/usr/bin/env node
// Replaces fpm in the package check: electron-builder starts this program with fpm's arguments, and
// it builds the deb with dpkg-deb. Not every computer can download electron-builder's own fpm. All
// values of the deb come from electron-builder, as in a real build.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

const text = { type: 'string' }
const many = { type: 'string', multiple: true }
// An unknown option is an error, so that no value of the configuration is lost.
const { values: given, positionals } = parseArgs({
  options: {
    source: { ...text, short: 's' },
    target: { ...text, short: 't' },
    force: { type: 'boolean' },
    depends: { ...many, short: 'd', default: [] },
    'deb-recommends': { ...many, default: [] },
    'deb-compression': text,
    'deb-priority': text,
    architecture: text,
    'after-install': text,
    'after-remove': text,
    category: text,
    description: text,
    license: text,
    maintainer: text,
    name: text,
    package: text,
    url: text,
    vendor: text,
    version: text,
  },
  allowPositionals: true,
})
if (given.source !== 'dir' || given.target !== 'deb') throw new Error('This assembles a deb only.')

const folder = mkdtempSync(join(tmpdir(), 'tondesk-deb-'))
process.umask(0o022)

function write(file, content, mode = 0o644) {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

function files() {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(folder, 'DEBIAN')))
}

function control(installedKiB) {
  const fields = {
    Package: given.name,
    Version: given.version,
    License: given.license,
    Vendor: given.vendor,
    Architecture: given.architecture,
    Maintainer: given.maintainer,
    'Installed-Size': String(installedKiB),
    Depends: given.depends.join(', '),
    Recommends: given['deb-recommends'].join(', '),
    Section: given.category ?? 'default',
    Priority: given['deb-priority'],
    Homepage: given.url,
    Description: given.description.replaceAll(/\n\s*/g, '\n '),
  }
  return Object.entries(fields)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

try {
  for (const each of positionals) {
    const [, source, target] = /^(.+?)=(.+)$/.exec(each) ?? []
    const to = join(folder, target)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(source, to, { recursive: true, verbatimSymlinks: true })
    // Files of a clone may be writable for the group, but those of a package must not be.
    if (statSync(to).isFile()) chmodSync(to, 0o644)
  }
  // fpm adds this file to each package, so it is added here too.
  const changelog = `${given.name} (${given.version}) whatever; urgency=medium\n\n  * Package created with FPM.\n\n -- ${given.maintainer}  ${new Date().toUTCString().replace('GMT', '+0000')}\n`
  write(`usr/share/doc/${given.name}/changelog.gz`, gzipSync(changelog, { level: 9 }))
  const bytes = files().reduce((sum, file) => sum + statSync(file).size, 0)
  const sums = files().map((file) => {
    const md5 = createHash('md5').update(readFileSync(file)).digest('hex')
    return `${md5}  ${relative(folder, file)}\n`
  })
  write('DEBIAN/control', control(Math.ceil(bytes / 1024)))
  write('DEBIAN/md5sums', sums.join(''))
  write('DEBIAN/postinst', readFileSync(given['after-install']), 0o755)
  write('DEBIAN/postrm', readFileSync(given['after-remove']), 0o755)
  const compression = `-Z${given['deb-compression'] ?? 'xz'}`
  const built = spawnSync(
    'dpkg-deb',
    ['--build', '--root-owner-group', compression, folder, given.package],
    { stdio: 'inherit' },
  )
  if (built.error) throw built.error
  process.exitCode = built.status
} finally {
  rmSync(folder, { recursive: true, force: true })
}
