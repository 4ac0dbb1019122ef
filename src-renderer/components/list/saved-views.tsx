/** Queries and filters of a list that the user has saved under a name. */
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { attempt, reload, request, useData } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { Button, type MenuItem, Menu, menuItem } from '../../ui/button.tsx'
import { FormDialog, TextField } from '../../ui/form.tsx'
import { announce, showToast } from '../../ui/toast.tsx'

type View = { readonly id: number; readonly name: string }

/** `V` is a view as the main process stores it, `C` is its content as the page has it. */
type ViewKind<V extends View, C> = {
  /** The prefix of the routes. */
  readonly routes: 'captureView' | 'exportView' | 'invoiceView'
  /** The name of one saved item, such as “query”. */
  readonly thing: string
  readonly contentOf: (view: V) => C
  readonly isSame: (a: C, b: C) => boolean
  /** Saves a content under a name; without an `id` as a new view. @throws AppError if the name is refused */
  readonly save: (name: string, content: C, id: number | null) => Promise<V>
  readonly onShow: (content: C) => void
}

/** The actions on views, and the view that was shown last. */
function createActions<V extends View, C>({ routes, contentOf, save }: ViewKind<V, C>) {
  const list = `${routes}.list` as const
  /** The view that was shown last, to which the user can save later changes. */
  const useLastShown = create<{ id: number | null }>(() => ({ id: null }))

  async function saveView(name: string, content: C, id: number | null): Promise<true> {
    const view = await save(name, content, id)
    useLastShown.setState({ id: view.id })
    announce(`View ${view.name} saved`)
    reload(list)
    return true
  }

  async function replaceView(view: V, content: C): Promise<void> {
    const done = await attempt('Could not save the view', () =>
      saveView(view.name, content, view.id),
    )
    if (done !== undefined) offerUndo(`“${view.name}” saved`, view, view.id)
  }

  async function removeView(view: V): Promise<void> {
    const done = await attempt('Could not remove the view', () =>
      request(`${routes}.remove`, { id: view.id }),
    )
    if (done === undefined) return
    useLastShown.setState({ id: null })
    reload(list)
    offerUndo(`“${view.name}” removed`, view, null)
  }

  function offerUndo(title: string, view: V, id: number | null): void {
    const undo = () => saveView(view.name, contentOf(view), id)
    const run = () => void attempt('Could not undo the change', undo)
    showToast({ id: routes, title, action: { label: 'Undo', run } })
  }

  /** Returns the menu items of the view that is shown, or was shown before the content changed. */
  const actionsOn = (view: V, canSave: boolean, content: C, onRename: () => void): MenuItem[] => [
    menuItem(`Save changes to “${view.name}”`, { disabled: !canSave }, () =>
      replaceView(view, content),
    ),
    menuItem(`Rename “${view.name}”…`, {}, onRename),
    menuItem(`Remove “${view.name}”`, { icon: 'trash', danger: true }, () => removeView(view)),
  ]

  return { useLastShown, saveView, actionsOn }
}

export function createSavedViews<V extends View, C>(stored: ViewKind<V, C>) {
  const { routes, thing, contentOf, isSame, onShow } = stored
  const { useLastShown, saveView, actionsOn } = createActions(stored)

  /** Renders the menu of views, with the view of this content and its actions. */
  return function ViewsMenu({
    id,
    content,
    builtIn = [],
    isEmpty = false,
    title = 'Saved views',
    kind,
    detail,
    hintOf,
    more = [],
    onOpen,
  }: {
    id?: string
    content: C
    /** Views that cannot be changed; the first is the list without a filter. */
    builtIn?: readonly { name: string; content: C; hint: string | undefined }[]
    /** True if there is nothing to save. */
    isEmpty?: boolean
    title?: string
    kind?: 'quiet'
    /** Returns the text in the dialog that names a view. */
    detail: (content: C) => string
    /** Returns the hint after the name of a view. */
    hintOf?: (view: V) => string | undefined
    /** Items below the menu's own entries. */
    more?: readonly MenuItem[]
    onOpen?: () => void
  }) {
    const { data, error, refetch } = useData(`${routes}.list` as const)
    const views = (data ?? []) as unknown as readonly V[]
    const lastId = useLastShown((state) => state.id)
    const [named, setNamed] = useState<V | 'new' | null>(null)
    const same = views.filter((view) => isSame(contentOf(view), content))
    const shown = same.find((view) => view.id === lastId) ?? same[0]
    /** The view that is shown, or was shown before the content changed. */
    const target = shown ?? views.find((view) => view.id === lastId)
    const shownId = shown?.id
    const contentIn = (view: V | 'new') => (view === 'new' ? content : contentOf(view))
    useEffect(() => {
      if (shownId !== undefined) useLastShown.setState({ id: shownId })
    }, [shownId])

    const fixed = builtIn.find((view) => isSame(view.content, content))
    const items = builtIn.map((view) =>
      menuItem(view.name, { checked: view === fixed, hint: view.hint }, () => onShow(view.content)),
    )
    if (builtIn.length > 0 && views.length > 0) items.push('line')
    const own = views.map((view) =>
      menuItem(view.name, { checked: view.id === shownId, hint: hintOf?.(view) }, () => {
        useLastShown.setState({ id: view.id })
        onShow(contentOf(view))
      }),
    )
    items.push(...own)
    if (error !== null) {
      items.unshift(
        menuItem(`Could not load the saved views: ${error.message}`, { icon: 'refresh' }, () =>
          refetch(),
        ),
      )
    }
    const canSave = shown === undefined && !isEmpty
    const actions = target && actionsOn(target, canSave, content, () => setNamed(target))
    return (
      <>
        <Menu
          {...(onOpen !== undefined && { onOpen })}
          trigger={
            <Button id={id} {...(kind !== undefined && { kind })} title={title}>
              {shown?.name ?? (fixed === builtIn[0] ? undefined : fixed?.name) ?? 'Views'} ▾
            </Button>
          }
          items={[
            ...items,
            ...(items.length > 0 ? ['line' as const] : []),
            menuItem(`Save this ${thing}…`, { icon: 'plus', disabled: isEmpty }, () =>
              setNamed('new'),
            ),
            ...(actions ?? []),
            ...more,
          ]}
        />
        {named !== null && (
          <NameDialog
            title={named === 'new' ? `Save this ${thing}` : 'Rename the view'}
            detail={detail(contentIn(named))}
            name={named === 'new' ? '' : named.name}
            save={(name) => saveView(name, contentIn(named), named === 'new' ? null : named.id)}
            onClose={() => setNamed(null)}
          />
        )}
      </>
    )
  }
}

function NameDialog({
  title,
  detail,
  name: initial,
  save,
  onClose,
}: {
  title: string
  detail: string
  /** Empty for a new view. */
  name: string
  save: (name: string) => Promise<unknown>
  onClose: () => void
}) {
  const form = useForm({ name: initial }, async ({ name }) => {
    if (name.trim() === '') return { name: 'Enter a name.' }
    await save(name.trim())
    onClose()
  })
  return (
    <FormDialog title={title} detail={detail} form={form} action="Save" onClose={onClose}>
      <TextField label="Name" maxLength={60} autoFocus {...form.field('name')} />
    </FormDialog>
  )
}
