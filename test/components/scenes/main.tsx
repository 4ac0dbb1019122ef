/** Shows the scene that the address names, inside the same providers as in `src-renderer/app.tsx`. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ComponentType, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../../src-renderer/ui/tokens.css'
import '../../../src-renderer/ui/reset.css'
import { ConfirmHost } from '../../../src-renderer/ui/dialog.tsx'
import { startKeyboard } from '../../../src-renderer/ui/keyboard.ts'
import { LiveRegion } from '../../../src-renderer/ui/toast.tsx'
import { Toaster } from '../../../src-renderer/ui/toaster.tsx'

const scenes = {
  'data-list': async () => (await import('./data-list.tsx')).DataListScene,
  form: async () => (await import('./form.tsx')).FormScene,
  dialog: async () => (await import('./dialog.tsx')).DialogScene,
  'query-field': async () => (await import('./query-field.tsx')).QueryFieldScene,
  chart: async () => (await import('./chart.tsx')).ChartScene,
} satisfies Record<string, () => Promise<ComponentType>>

export type SceneName = keyof typeof scenes

const name = new URLSearchParams(window.location.search).get('scene') as SceneName
const Scene = await scenes[name]()
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no #root.')
startKeyboard()
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <main>
        <Scene />
      </main>
      <LiveRegion />
      <Toaster />
      <ConfirmHost />
    </CSPProvider>
  </StrictMode>,
)
