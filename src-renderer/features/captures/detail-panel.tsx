import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { create } from 'zustand'
import type { SnippetLanguage } from '../../../src-preload/contract/capture-files.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import type { captureCodes } from '../../../src-preload/domain/error-codes.ts'
import { queries } from '../../app/bridge.ts'
import { newWindowLabel, openInNewWindow } from '../../app/host-window.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { useAccountName } from '../../components/chain/account-link.tsx'
import { Button, IconButton, type MenuItem, Menu, menuItem } from '../../ui/button.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { Kbd, Tag, Text, Pane, Row, Stack } from '../../ui/layout.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { TextArea } from '../../ui/form.tsx'
import { CaptureForwards } from '../../components/delivery/capture-forwards.tsx'
import { openReplay } from '../../components/delivery/replays.tsx'
import { shellOptions } from '../../components/start/sample-webhook.ts'
import { originLabels, titleOf } from './capture-cells.tsx'
import { type OpenCapture, captureQuery, useOpen } from './capture-detail.ts'
import { BodyTab, DetailsTab, HeadersTab, TimelineTab } from './detail-tabs.tsx'
import { ExplanationTab } from './explanation-tab.tsx'
import {
  closeDetail,
  copyLink,
  copySnippet,
  deleteCaptures,
  editNote,
  saveNote,
  togglePin,
  useEditedNote,
  useShell,
} from './captures-state.ts'

/** The value from `captureCodes`, repeated here so that its schemas are not loaded. */
const notFound: (typeof captureCodes)['notFound'] = 'CAPTURE_NOT_FOUND'

/** Shows the open capture, or the state of loading it. */
export function DetailPanel() {
  const { open } = useOpen()
  return open && <Opened query={captureQuery(open)} id={open.id} />
}

function Opened({ query, id }: { query: ReturnType<typeof captureQuery>; id: number }) {
  const response = useQuery<OpenCapture, AppError>(query, queries)
  if (response.error?.code === notFound) {
    return (
      <EmptyState
        title={`Capture ${id} no longer exists`}
        detail="You deleted this capture, or Tondesk removed it according to your retention settings."
      >
        <Button onClick={closeDetail}>Back to the list</Button>
      </EmptyState>
    )
  }
  return (
    <Loaded query={response} of={`capture ${id}`} rows={8}>
      {(shown) => <Detail open={shown} isStale={response.isPlaceholderData} />}
    </Loaded>
  )
}

/** The chosen tab; it stays while a replay is shown on another page. */
const useTab = create<{ readonly chosen: Tab | null }>(() => ({ chosen: null }))

type Tab = 'explanation' | 'body' | 'headers' | 'forwards' | 'timeline' | 'details'

function Detail({ open, isStale }: { open: OpenCapture; isStale: boolean }) {
  const { chosen } = useTab()
  const { id, capture } = open
  const title = titleOf(capture, useAccountName(capture))
  // Only deliveries of the gateway can be explained.
  const tab = chosen ?? (capture.kind === 'unknown' ? 'body' : 'explanation')
  return (
    <Pane role="region" aria-label={`Capture ${id}`} aria-busy={isStale}>
      <Row pad="m" line="below">
        <Row grow>
          <Text
            as="h2"
            over="cut2"
            strong
            title={[title, capture.account].filter((each) => each !== null).join('\n')}
          >
            <UntrustedText text={title} />
          </Text>
          {capture.origin !== 'received' && (
            <Tag title={originLabels[capture.origin]}>{capture.origin}</Tag>
          )}
        </Row>
        <Actions open={open} />
      </Row>
      <NoteOf key={id} id={id} note={capture.note} />
      <Tabs<Tab>
        label="Capture"
        group="Inspector"
        value={tab}
        onChange={(next) => useTab.setState({ chosen: next })}
        tabs={[
          // The key is the capture's id, so that nothing of the previous capture is shown as part of this one.
          {
            value: 'explanation',
            label: 'Explanation',
            panel: <ExplanationTab key={id} capture={capture} />,
          },
          { value: 'body', label: 'Body', panel: <BodyTab open={open} /> },
          {
            value: 'headers',
            label: 'Headers',
            count: capture.headers.length,
            panel: <HeadersTab open={open} />,
          },
          { value: 'forwards', label: 'Forwards', panel: <CaptureForwards key={id} id={id} /> },
          { value: 'timeline', label: 'Timeline', panel: <TimelineTab key={id} id={id} /> },
          { value: 'details', label: 'Details', panel: <DetailsTab open={open} /> },
        ]}
      />
    </Pane>
  )
}

const snippets: readonly { value: SnippetLanguage; label: string; what: string }[] = [
  ...shellOptions.map(({ value, label }) => ({
    value,
    label: `curl, for ${label}`,
    what: 'curl command',
  })),
  { value: 'fetch', label: 'JavaScript (fetch)', what: 'JavaScript (fetch) code' },
  { value: 'python', label: 'Python', what: 'Python code' },
]

function Actions({ open: { id, capture, revealed } }: { open: OpenCapture }) {
  const shell = useShell()
  const copyItems = (reveal: boolean): MenuItem[] => {
    const name = (what: string) => (reveal ? `Copy as ${what}, with tokens` : `Copy as ${what}`)
    const icon = reveal ? ('key' as const) : undefined
    return snippets.map(({ value, label, what }) =>
      menuItem(name(label), { icon, hint: value === shell && !reveal ? 'c' : undefined }, () =>
        copySnippet(id, value, what, reveal),
      ),
    )
  }
  const hasSecrets = capture.masked || revealed
  return (
    <Row gap="none">
      <Button
        icon="play"
        title="Replay (r)"
        onClick={() => openReplay({ kind: 'captures', ids: [id] })}
      >
        Replay <Kbd>r</Kbd>
      </Button>
      <Menu
        trigger={<IconButton icon="terminal" label="Copy as curl, JavaScript or Python" />}
        items={[...copyItems(false), ...(hasSecrets ? ['line' as const, ...copyItems(true)] : [])]}
      />
      <IconButton
        icon="pin"
        label={capture.pinned ? 'Unpin (p)' : 'Pin (p)'}
        aria-pressed={capture.pinned}
        onClick={() => void togglePin([id])}
      />
      <IconButton icon="note" label="Note (n)" onClick={editNote} />
      <Menu
        trigger={<IconButton icon="more" label="More actions for this capture" />}
        items={[
          menuItem('Edit and replay…', { icon: 'note', hint: 'R' }, () =>
            openReplay({ kind: 'captures', ids: [id] }, { edited: true }),
          ),
          menuItem('Replay this and all later captures…', { icon: 'play' }, () =>
            openReplay({ kind: 'since', at: capture.receivedAt }),
          ),
          'line',
          menuItem('Copy link', { icon: 'copy' }, () => copyLink(id)),
          menuItem(newWindowLabel(), { icon: 'window' }, () => openInNewWindow()),
          'line',
          menuItem('Delete…', { icon: 'trash', hint: 'Del', danger: true }, () =>
            deleteCaptures([id]),
          ),
        ]}
      />
      <IconButton icon="close" label="Close (Esc)" onClick={closeDetail} />
    </Row>
  )
}

/** The height of three lines in pixels; a longer note scrolls. */
const noteHeight = 84

function NoteOf({ id, note }: { id: number; note: string }) {
  const isEdited = useEditedNote((state) => state.id === id)
  if (isEdited) return <NoteEditor id={id} note={note} />
  if (note === '') return null
  return (
    <Stack pad="m" line="below" scroll style={{ maxHeight: noteHeight, flex: 'none' }}>
      <Button kind="link" onClick={editNote}>
        <Text size="s" over="lines">
          <UntrustedText text={note} />
        </Text>
      </Button>
    </Stack>
  )
}

/** The field of a note. Ctrl+Enter or leaving the field saves the note; Escape cancels. */
function NoteEditor({ id, note }: { id: number; note: string }) {
  const [text, setText] = useState(note)
  const field = useRef<HTMLTextAreaElement>(null)
  const finished = useRef(false)
  useEffect(() => field.current?.focus(), [])

  const finish = async (save: boolean) => {
    if (finished.current) return
    finished.current = true
    if (save && text !== note && !(await saveNote(id, text))) {
      // The field stays open, so that the typed text is not lost.
      finished.current = false
      return
    }
    useEditedNote.setState({ id: null })
  }

  return (
    <Stack pad="m" line="below">
      <TextArea
        ref={field}
        label="Note"
        hideLabel
        placeholder="Add a note about this capture"
        hint="Ctrl+Enter saves, Escape cancels"
        maxLength={10_000}
        rows={3}
        value={text}
        onChange={setText}
        onBlur={() => void finish(true)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation()
            void finish(false)
          }
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            void finish(true)
          }
        }}
      />
    </Stack>
  )
}
