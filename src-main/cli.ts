import { runCommandLine } from './command-line/run.ts'

await runCommandLine(process.argv.slice(2))
