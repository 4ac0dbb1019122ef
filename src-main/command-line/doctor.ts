import { type Command, exitCodes } from './command.ts'
import {
  type Finding,
  checkApp,
  checkDirectory,
  checkDisk,
  checkElectron,
  checkNode,
} from './doctor-checks.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'look over this installation and its data',
  options: {
    json: { type: 'boolean', description: 'print a JSON object a line' },
  },
  detail: [
    'Looks at Node, the data directory and who holds it, the database, the receiver, the keychain\nand Electron. Ends with 1 when something fails; a warning is no failure.',
  ],
  async run({ dataDirectory, options, terminal }) {
    const json = options['json'] === true
    if (json) await terminal.print(JSON.stringify({ event: 'ready', dataDirectory }))
    let failures = 0
    const report = async (finding: Finding) => {
      if (finding.status === 'fail') failures += 1
      await terminal.print(
        json
          ? JSON.stringify({ event: 'check', ...finding })
          : `${finding.status.padEnd(4)}  ${finding.check.padEnd(14)}  ${finding.message}`,
      )
    }

    await report(checkNode(process.versions.node))
    const directory = checkDirectory(dataDirectory)
    await report(directory)
    if (directory.status !== 'fail') await report(await checkDisk(dataDirectory))
    // A directory that is not there yet is not made just to look into it.
    if (directory.exists && directory.status !== 'fail') {
      for await (const finding of checkApp(dataDirectory)) await report(finding)
    }
    await report(checkElectron())

    if (json) await terminal.print(JSON.stringify({ event: 'done', failures }))
    return failures === 0 ? exitCodes.ok : exitCodes.failed
  },
}
