import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Command, exitCodes } from './command.ts'
import { copyWhole } from './copy-file.ts'
import { openSession } from './session.ts'

export const backup: Command = {
  name: 'backup',
  arguments: '[FILE]',
  summary: 'write a backup of everything but keys',
  options: {
    force: { type: 'boolean', description: 'replace FILE if it exists' },
  },
  detail: [
    "The backup goes to the data directory's backups folder and, if FILE is given, is copied there\n(into FILE where that is a folder). Keys stay in the system's keychain.",
  ],
  async run({ dataDirectory, options, positionals, terminal }) {
    const [wanted] = positionals
    if (wanted !== undefined && !isFolder(wanted)) refuseExisting(wanted, options['force'] === true)
    const session = await openSession({ dataDirectory, receive: false })
    try {
      const made = await session.call('backup.create')
      if (wanted === undefined) {
        await terminal.print(made.path)
        return exitCodes.ok
      }
      const target = resolve(isFolder(wanted) ? join(wanted, made.name) : wanted)
      refuseExisting(target, options['force'] === true)
      await copyWhole(made.path, target)
      await terminal.print(target)
      return exitCodes.ok
    } finally {
      await session.dispose()
    }
  },
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function refuseExisting(path: string, force: boolean): void {
  if (force || !existsSync(path)) return
  throw new AppError('FILE_EXISTS', `${path} exists. Use --force to replace it.`)
}
