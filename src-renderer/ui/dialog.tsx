import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import surface from './surface.module.css'
import styles from './dialog.module.css'

/**
 * A dialog within the page. Escape and a press outside close it; the focus returns to its previous
 * position.
 */
export function Dialog({
  open,
  onClose,
  title,
  detail,
  children,
  buttons,
  wide = false,
  stays = false,
  initialFocus,
}: {
  open: boolean
  onClose: () => void
  title: string
  detail?: ReactNode
  children?: ReactNode
  buttons?: ReactNode
  /** `widest` has space for two columns. */
  wide?: boolean | 'widest'
  /** True if a press outside does not close the dialog. */
  stays?: boolean
  initialFocus?: RefObject<HTMLElement | null> | undefined
}) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && onClose()}
      disablePointerDismissal={stays}
    >
      <Base.Portal>
        <Base.Backdrop className={surface['backdrop']} />
        <Base.Popup
          data-modal
          className={classes(
            surface['raised'],
            styles['popup'],
            wide === true && styles['wide'],
            wide === 'widest' && styles['widest'],
          )}
          initialFocus={initialFocus}
        >
          <Base.Title className={styles['title']}>{title}</Base.Title>
          {detail !== undefined && (
            <Base.Description className={styles['detail']}>{detail}</Base.Description>
          )}
          {children}
          {buttons !== undefined && <div className={styles['buttons']}>{buttons}</div>}
          <ConfirmHost />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export type ConfirmOptions = {
  /** The title names the thing: "Delete 3 captures?" */
  title: string
  /** The loss, and whether it can be undone. */
  detail: ReactNode
  /** The text of the button: "Delete", never "OK". */
  action: string
  /** True to focus Cancel, so that Enter does no harm. */
  destructive?: boolean
}

type Asked = ConfirmOptions & {
  readonly answer: (yes: boolean) => void
  /** The elements that had the focus and that surround it, because the pressed one may be removed by then. */
  readonly origins: readonly HTMLElement[]
}

/** The mounted hosts, with the innermost dialog's last. */
const hosts: ((requested: Asked) => void)[] = []

/** Asks the user to confirm an irreversible action. Resolves with false if the user cancels. */
export const confirm = (options: ConfirmOptions): Promise<boolean> =>
  new Promise((resolve) => {
    const ask = hosts.at(-1)
    if (ask === undefined) resolve(false)
    else ask({ ...options, answer: resolve, origins: originsOf(document.activeElement) })
  })

function originsOf(focused: Element | null): HTMLElement[] {
  // A field may have lost the focus already; then its dialog gets the focus.
  const dialogs = document.querySelectorAll('[role=dialog]')
  const area = focused?.closest('[role=dialog],[tabindex="-1"]') ?? dialogs.item(dialogs.length - 1)
  return [focused, area].filter(
    (each) => each instanceof HTMLElement && each !== document.body,
  ) as HTMLElement[]
}

/**
 * Mounted in the frame and in each open dialog. The innermost host shows the question, because
 * outside its dialog the question would take the focus out of that dialog permanently.
 */
export function ConfirmHost() {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [open, setOpen] = useState(false)
  const cancel = useRef<HTMLButtonElement>(null)
  const act = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    const ask = (next: Asked) => {
      setAsked((former) => {
        former?.answer(false)
        return next
      })
      setOpen(true)
    }
    hosts.push(ask)
    return () => {
      hosts.splice(hosts.indexOf(ask), 1)
    }
  }, [])

  const response = (yes: boolean) => {
    asked?.answer(yes)
    setOpen(false)
  }

  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && response(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={surface['backdrop']} />
        <AlertDialog.Popup
          data-modal
          className={classes(surface['raised'], styles['popup'])}
          initialFocus={asked?.destructive === true ? cancel : act}
          finalFocus={() => asked?.origins.find((each) => each.isConnected) ?? true}
        >
          <AlertDialog.Title className={styles['title']}>{asked?.title}</AlertDialog.Title>
          <AlertDialog.Description className={styles['detail']} render={<div />}>
            {asked?.detail}
          </AlertDialog.Description>
          <div className={styles['buttons']}>
            <Button ref={cancel} onClick={() => response(false)}>
              Cancel
            </Button>
            <Button
              ref={act}
              kind={asked?.destructive === true ? 'dangerMain' : 'main'}
              onClick={() => response(true)}
            >
              {asked?.action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

type Opener = {
  readonly isOpen: boolean
  readonly setOpen: (open: boolean) => void
  /** The button that opens the form, which may be removed meanwhile. */
  readonly button: RefObject<HTMLButtonElement | null>
}

/** Manages a form that a button opens. When the form is closed, the button gets the focus again. */
export function useOpener(): Opener {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return { isOpen, setOpen, button }
}
