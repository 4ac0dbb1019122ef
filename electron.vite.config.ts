import { readFileSync, readdirSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { bundledPackages } from './build/lib/bundled-packages.ts'

/** Shipped beside the bundles: the keychain's module, the fonts of PDF files, and Electron itself. */
const shipped = bundledPackages(import.meta.dirname, [
  'keytar',
  '@expo-google-fonts/noto-sans',
  'electron',
])

/**
 * Everything but the keychain's native module is bundled, so the installed app carries one package.
 * Main's chunks lie flat beside its entries: threads are found by `new URL('./x.js', import.meta.url)`.
 */
export default defineConfig({
  main: {
    plugins: [statementFonts(), trayIcons(), labScenarios(), agentSkill(), shipped.collect()],
    build: {
      outDir: 'out/main',
      target: 'node24',
      externalizeDeps: true,
      rolldownOptions: {
        input: {
          main: 'src-main/main.ts',
          serve: 'src-main/serve.ts',
          cli: 'src-main/cli.ts',
          'sandbox-process': 'src-main/threads/sandbox-process.ts',
          'writer-thread': 'src-main/threads/writer-thread.ts',
          'receiver-thread': 'src-main/threads/receiver-thread.ts',
          'index-thread': 'src-main/threads/index-thread.ts',
          'send-thread': 'src-main/threads/send-thread.ts',
          'task-process': 'src-main/threads/task-process.ts',
          'invoice-reader-thread': 'src-main/threads/invoice-reader-thread.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    plugins: [shipped.collect()],
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      rolldownOptions: {
        input: 'src-preload/preload.ts',
        // A sandboxed preload must be CommonJS in one file.
        output: { format: 'cjs', entryFileNames: 'preload.cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    plugins: [react(), shipped.collect(), shipped.write()],
    build: {
      outDir: 'out/renderer',
      target: 'chrome156',
      minify: true,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: 'src-renderer/index.html',
        // What six pages or more use is in one file: a page loads about a dozen files instead of forty.
        output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 6 }] } },
      },
    },
  },
})

/** What a PDF is written with lies beside main's bundle, with its licence (src-main/exports/pdf.ts). */
function statementFonts(): Plugin {
  const files = {
    '400Regular/NotoSans_400Regular.ttf': 'NotoSans_400Regular.ttf',
    '600SemiBold/NotoSans_600SemiBold.ttf': 'NotoSans_600SemiBold.ttf',
    LICENSE_FONT: 'LICENSE.txt',
  }
  return {
    name: 'statement-fonts',
    generateBundle() {
      for (const [from, to] of Object.entries(files)) {
        const url = new URL(`node_modules/@expo-google-fonts/noto-sans/${from}`, import.meta.url)
        this.emitFile({ type: 'asset', fileName: `fonts/${to}`, source: readFileSync(url) })
      }
    },
  }
}

/** The icons of the tray lie beside main's bundle (src-main/desktop/tray.ts). */
function trayIcons(): Plugin {
  const folder = new URL('src-main/desktop/icons/', import.meta.url)
  return {
    name: 'tray-icons',
    generateBundle() {
      for (const name of readdirSync(folder)) {
        const source = readFileSync(new URL(name, folder))
        this.emitFile({ type: 'asset', fileName: `tray/${name}`, source })
      }
    },
  }
}

/** The lab's scenarios lie beside main's bundle (src-main/sandbox/lab/run-lab.ts). */
function labScenarios(): Plugin {
  const folder = new URL('src-main/sandbox/lab/scenarios/', import.meta.url)
  return {
    name: 'lab-scenarios',
    generateBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!name.endsWith('.yaml')) continue
        const source = readFileSync(new URL(name, folder))
        this.emitFile({ type: 'asset', fileName: `scenarios/${name}`, source })
      }
    },
  }
}

/** The skill file for agents lies beside main's bundle (src-main/command-line/mcp.ts). */
function agentSkill(): Plugin {
  return {
    name: 'agent-skill',
    generateBundle() {
      const source = readFileSync(new URL('docs/skill/SKILL.md', import.meta.url))
      this.emitFile({ type: 'asset', fileName: 'skill/SKILL.md', source })
    },
  }
}
