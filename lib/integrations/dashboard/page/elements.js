export const byId = (id) => document.getElementById(id);

export const clone = (id) => byId(id).content.firstElementChild.cloneNode(true);

/** Sets the text of an element if it is another: what does not change must not be announced again. */
export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/** Sets a text that is left out if it is empty. */
export const setOptional = (element, text) => {
  setText(element, text ?? '');
  element.hidden = !text;
};

export const setAttribute = (element, name, value) => {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
};

/**
 * Makes the children of an element show these items. The child of an item stays the same as long as its key does, so
 * that focus, selection and what is unfolded outlast an update.
 */
export const keepChildren = (parent, items, keyOf, create, update) => {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let previous = null;
  for (const item of items) {
    const key = keyOf(item);
    const child = old.get(key) ?? create(item);
    old.delete(key);
    child.dataset.key = key;
    update(child, item);
    const place = previous === null ? parent.firstElementChild : previous.nextElementSibling;
    if (child !== place) parent.insertBefore(child, place);
    previous = child;
  }
  for (const child of old.values()) child.remove();
};
