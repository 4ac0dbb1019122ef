import { navigate } from '../../route.ts'
import { openRule } from '../forwarding/rule-dialog.tsx'
import { forwardingHome } from '../forwarding/rules.ts'
import type { PaletteEntry } from '../frame/palette-entry.ts'
import { openReplay } from '../replays/replay-dialog-state.ts'
import { replaysHome } from '../replays/replays.ts'

/** What is done with captures and can be run from any page. */
export const workbenchEntries: readonly PaletteEntry[] = [
  {
    id: 'forwarding',
    label: 'Inspector: Forwarding',
    icon: 'send',
    words: 'forward rules targets health waiting retry local server',
    run: () => navigate(forwardingHome),
  },
  {
    id: 'new-rule',
    label: 'Inspector: New forwarding rule',
    icon: 'plus',
    words: 'forward target localhost',
    run: () => {
      navigate(forwardingHome)
      openRule()
    },
  },
  {
    id: 'replays',
    label: 'Inspector: Replays',
    icon: 'play',
    words: 'sent again resend jobs',
    run: () => navigate(replaysHome),
  },
  {
    id: 'replay-since',
    label: 'Replay everything since…',
    icon: 'play',
    words: 'resend again captures',
    run: () => openReplay({ kind: 'since', at: 0 }),
  },
  {
    id: 'compare',
    label: 'Compare two captures',
    icon: 'transactions',
    words: 'diff difference side by side',
    run: () => navigate({ page: 'workbench', view: 'compare', left: '', right: '' }),
  },
]
