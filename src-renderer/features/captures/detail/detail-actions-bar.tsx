import type { Shell } from '../../../../src-preload/contract/capture.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { type MenuItem, Menu } from '../../../ui/menu.tsx'
import { snippetItems } from '../exchange/copy-snippet.ts'
import { openReplay } from '../../../components/delivery/replays.tsx'
import {
  closeDetail,
  copyCurl,
  copyLink,
  deleteCaptures,
  togglePin,
} from '../inspector-commands.ts'
import type { OpenCapture } from '../inspector-state.ts'
import styles from './detail.module.css'

const shells: readonly { value: Shell; label: string }[] = [
  { value: 'posix', label: 'sh, bash, zsh' },
  { value: 'powershell', label: 'PowerShell' },
  { value: 'cmd', label: 'cmd' },
]

/** What can be done with the open capture. */
export function DetailActionsBar({
  open,
  shell,
  onNote,
}: {
  open: OpenCapture
  shell: Shell
  onNote: () => void
}) {
  const { id, capture } = open
  const items: MenuItem[] = shells.map(({ value, label }) => ({
    label: `As curl, for ${label}`,
    hint: value === shell ? 'c' : undefined,
    onSelect: () => void copyCurl(id, value, false),
  }))
  items.push('line', ...snippetItems(id, false))
  if (capture.masked || open.revealed) {
    items.push(
      'line',
      ...shells.map(({ value, label }): MenuItem => ({
        label: `As curl, for ${label}, with tokens`,
        icon: 'key',
        onSelect: () => void copyCurl(id, value, true),
      })),
      ...snippetItems(id, true),
    )
  }
  return (
    <div className={styles['actions']}>
      <Button
        icon="play"
        title="Replay (r)"
        onClick={() => openReplay({ kind: 'captures', ids: [id] })}
      >
        <span className={styles['word']}>Replay</span>
        <span className={styles['key']}>
          <Kbd>r</Kbd>
        </span>
      </Button>
      <Menu
        trigger={
          <Button icon="terminal" title="Copy as curl, JavaScript or Python">
            <span className={styles['word']}>Copy as…</span>
          </Button>
        }
        items={items}
      />
      <IconButton
        icon="pin"
        label={capture.pinned ? 'Unpin (p)' : 'Pin (p)'}
        aria-pressed={capture.pinned}
        className={capture.pinned ? styles['pressed'] : undefined}
        onClick={() => void togglePin([id])}
      />
      <IconButton icon="note" label="Note (n)" onClick={onNote} />
      <Menu
        trigger={<IconButton icon="more" label="More" />}
        items={[
          {
            label: 'Edit and replay…',
            icon: 'note',
            hint: 'R',
            onSelect: () => openReplay({ kind: 'captures', ids: [id] }, { edited: true }),
          },
          {
            label: 'Replay everything since…',
            icon: 'play',
            onSelect: () => openReplay({ kind: 'since', at: capture.receivedAt }),
          },
          'line',
          { label: 'Copy link', icon: 'copy', onSelect: () => void copyLink(id) },
          'line',
          {
            label: 'Delete…',
            icon: 'trash',
            hint: 'Del',
            danger: true,
            onSelect: () => void deleteCaptures([id]),
          },
        ]}
      />
      <IconButton icon="close" label="Close (Esc)" onClick={closeDetail} />
    </div>
  )
}
