// Runs on Node 24 as a child of `npm start`: downloads Electron's binary into Electron's own cache and
// reports the progress as lines of JSON. The package's own installer then unpacks and verifies the binary.
import { createRequire } from 'node:module'
import { downloadArtifact } from '@electron/get'

const require = createRequire(import.meta.url)
const electron = require.resolve('electron/package.json')

let told = -1
await downloadArtifact({
  version: require(electron).version,
  artifactName: 'electron',
  checksums: require('electron/checksums.json'),
  platform: process.platform,
  arch: process.arch,
  cacheRoot: process.env.electron_config_cache,
  downloadOptions: {
    quiet: true,
    getProgressCallback: ({ transferred, total }) => {
      const megabytes = Math.floor(transferred / 1_000_000)
      if (megabytes === told) return Promise.resolve()
      told = megabytes
      const whole = total ? ` of ${Math.ceil(total / 1_000_000)}` : ''
      console.log(JSON.stringify({ progress: `${megabytes}${whole} MB` }))
      return Promise.resolve()
    },
  },
}).catch((error) => {
  const code = error?.cause?.code
  const reason = code ? `GitHub cannot be reached: ${code}` : error?.message
  console.log(JSON.stringify({ reason }))
  process.exitCode = 1
})
