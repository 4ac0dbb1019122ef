import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './ui/tokens.css'
import './ui/reset.css'
import './ui/print.css'
import './features/alerts/register.ts'
import './features/captures/register.ts'
import './features/delivery/register.ts'
import './features/invoices/register.ts'
import './features/webhooks/register.ts'
import { App } from './app.tsx'
import { connect, createPreloadTransport, startQueries } from './app/bridge.ts'
import { startEventTable } from './app/event-table.ts'
import { startFrame } from './app/frame/pages.ts'
import { startOpenedFiles } from './app/opened-files.ts'
import { provideInvoiceActions } from './components/invoices/advice-panel.tsx'
import { showZoom } from './app/host-window.ts'
import { startTheme } from './app/theme.ts'
import { startFocusFallback, startKeyboard } from './ui/keyboard.ts'
import { startTooltips } from './ui/shortened-text.ts'
import { startRouting } from './app/route.ts'
import { browserDeps, createWebTransport, reloadOnStartLinks } from './app/web-transport.ts'

if (window.bridge === undefined) reloadOnStartLinks(window)
startQueries()
startEventTable()
// The code of these actions is loaded when the user first acts on an invoice, on any page.
provideInvoiceActions(() => import('./features/invoices/detail/advice.tsx'))
connect(
  window.bridge === undefined
    ? createWebTransport(browserDeps(window))
    : createPreloadTransport(window.bridge),
)
// The theme needs the settings, so it starts after the transport.
startTheme()
// The router starts after the transport, which removes the start token from the address.
startRouting()
startKeyboard()
startFocusFallback()
startTooltips()
startFrame()
startOpenedFiles()
showZoom()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
