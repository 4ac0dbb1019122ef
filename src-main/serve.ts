import { runCommandLine } from './command-line/run.ts'

await runCommandLine(['serve', ...process.argv.slice(2)])
