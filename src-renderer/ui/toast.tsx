import { Toast } from '@base-ui/react/toast'
import { useEffect, useRef, useState } from 'react'
import { type ButtonKind, Button } from './button.tsx'
import type { IconName } from './icons.tsx'
import { Text } from './layout.tsx'
import { throttle } from './throttle.ts'

export const toastManager = Toast.createToastManager()

/** The toaster is loaded after the first page: toasts wait for it. */
const mounted = Promise.withResolvers<undefined>()
export const onToasterMounted = () => mounted.resolve(undefined)

type ToastOptions = {
  title: string
  /** A toast replaces an earlier one with the same id. */
  id?: string
  detail?: string
  /** A `bad` toast stays longer and is announced at once. */
  tone?: 'plain' | 'bad'
  action?: { label: string; run: () => void }
}

/** Shows a message for some seconds. Errors of a form belong in the form instead. */
export function showToast(options: ToastOptions): void {
  void mounted.promise.then(() => addToast(options))
}

function addToast({ title, id: ownId, detail, tone = 'plain', action }: ToastOptions): void {
  const id: string = toastManager.add({
    ...(ownId !== undefined && { id: ownId }),
    title,
    description: detail,
    type: tone,
    priority: tone === 'bad' ? 'high' : 'low',
    timeout: tone === 'bad' ? 10_000 : action === undefined ? 4_000 : 8_000,
    ...(action !== undefined && {
      actionProps: {
        children: action.label,
        onClick: () => {
          toastManager.close(id)
          action.run()
        },
      },
    }),
  })
}

type Announcement = { readonly id: number; readonly message: string }

let count = 0
let listener: ((said: Announcement) => void) | undefined

/** The pause is long enough to read a short sentence, so that a burst of messages becomes one. */
const pauseMs = 1000
const maxAtOnce = 3

/**
 * Passes messages to `show`: the first at once, then those of each second together. Of several
 * messages about the same subject only the newest is passed, and of many only the last three.
 */
export function createAnnouncer(show: (text: string) => void) {
  const waiting = new Map<string, string>()
  const pass = throttle(() => {
    show([...waiting.values()].slice(-maxAtOnce).join('. '))
    waiting.clear()
  }, pauseMs)
  return (message: string, about = message): void => {
    waiting.delete(about)
    waiting.set(about, message)
    pass.call()
  }
}

/**
 * Announces a change to screen readers without moving the focus. A message replaces an earlier one
 * about the same subject that was not announced yet.
 */
export const announce = createAnnouncer((message) => {
  count += 1
  listener?.({ id: count, message })
})

/** Mounted once, in the frame. */
export function LiveRegion() {
  const [said, setSaid] = useState<Announcement | null>(null)
  useEffect(() => {
    listener = setSaid
    return () => {
      listener = undefined
    }
  }, [])
  return (
    <Text as="div" hidden aria-live="polite" role="status" data-testid="announcement">
      {/* A new node is created each time, because the same sentence would otherwise be read only once. */}
      {said !== null && <span key={said.id}>{said.message}</span>}
    </Text>
  )
}

/** Copies a text to the clipboard and confirms it. Resolves with false if the browser refused. */
export async function copyText(text: string, what = 'Text'): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`${what} copied`)
    return true
  } catch {
    showToast({
      title: `${what} not copied`,
      detail: 'Tondesk could not write to the clipboard. Select the text and copy it manually.',
      tone: 'bad',
    })
    return false
  }
}

/** `text` may be fetched on the click, for text that must not be in the page. */
export function CopyButton({
  text,
  what,
  label = 'Copy',
  iconOnly = false,
  icon = 'copy',
  kind = 'plain',
}: {
  text: string | (() => Promise<string>)
  /** The name of the copied thing, such as "Receiver URL". */
  what: string
  label?: string
  iconOnly?: boolean
  /** The icon of a button without text. */
  icon?: IconName
  kind?: ButtonKind
}) {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async () => {
    let value: string
    try {
      value = typeof text === 'string' ? text : await text()
    } catch (error) {
      showToast({ title: `${what} not copied`, detail: messageOf(error), tone: 'bad' })
      return
    }
    if (!(await copyText(value, what))) return
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), 1500)
  }

  const thing = `${what.charAt(0).toLowerCase()}${what.slice(1)}`
  const name = `Copy ${thing}`
  return (
    <Button
      kind={kind}
      onClick={() => void copy()}
      title={name}
      {...(iconOnly && { icon: copied ? 'check' : icon, 'aria-label': name })}
    >
      {iconOnly ? undefined : (
        // The name begins with the visible word, for users of voice control.
        <>
          {copied ? 'Copied' : label}
          <Text hidden>
            {label === 'Copy' ? ' ' : ': '}
            {thing}
          </Text>
        </>
      )}
    </Button>
  )
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Loading failed.'
