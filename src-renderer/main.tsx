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
// Loaded once the user acts on an invoice, from whichever page.
provideInvoiceActions(() => import('./features/invoices/detail/advice.tsx'))
connect(
  window.bridge === undefined
    ? createWebTransport(browserDeps(window))
    : createPreloadTransport(window.bridge),
)
// After the transport: it loads the settings.
startTheme()
// After the transport, which takes the start token out of the address.
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
