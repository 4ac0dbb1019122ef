import { accountsHome, transactionsHome } from '../chain-route.ts'
import { invoicesHome } from '../invoices-route.ts'
import { registerShortcut } from '../../ui/keyboard.ts'
import { emptyQuery, navigate, sandboxHome } from '../route.ts'
import { webhooksHome } from '../webhooks-route.ts'
import { openPalette, openShortcutSheet } from './overlays.ts'

const group = 'Everywhere'

/** The keys of the frame. Registered before any page's, so that a page's own `/` wins over ours. */
export function startFrame(): () => void {
  const removes = [
    { keys: ['mod+k'], label: 'Search or run a command', group, run: openPalette },
    { keys: ['/'], label: 'Search', group, run: openPalette },
    { keys: ['?'], label: 'Show the keys', group, run: openShortcutSheet },
    {
      keys: ['g o'],
      label: 'Go to Overview',
      group,
      run: () => navigate({ page: 'overview' }),
    },
    {
      keys: ['g i'],
      label: 'Go to Inspector',
      group,
      run: () => navigate({ page: 'inspector', captureId: null, query: emptyQuery }),
    },
    {
      keys: ['g t'],
      label: 'Go to the Explorer',
      group,
      run: () => navigate(transactionsHome),
    },
    {
      keys: ['g w'],
      label: 'Go to Webhooks',
      group,
      run: () => navigate(webhooksHome),
    },
    {
      keys: ['g a'],
      label: 'Go to Accounts',
      group,
      run: () => navigate(accountsHome),
    },
    {
      keys: ['g v'],
      label: 'Go to Invoices',
      group,
      run: () => navigate(invoicesHome),
    },
    {
      keys: ['g b'],
      label: 'Go to Sandbox',
      group,
      run: () => navigate(sandboxHome),
    },
    {
      keys: ['g s'],
      label: 'Go to Settings',
      group,
      run: () => navigate({ page: 'settings', section: null }),
    },
  ].map((shortcut) => registerShortcut(shortcut))
  return () => {
    for (const remove of removes) remove()
  }
}
