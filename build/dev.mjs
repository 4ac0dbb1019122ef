// `npm run dev`, on Node 24: see ./lib/develop.mjs.
import process from 'node:process'
import { develop } from './lib/develop.mjs'

process.exitCode = await develop(process.argv.slice(2))
