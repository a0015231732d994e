// Finds the pages that contain every word; those with the words in their title come first.
const root = document.currentScript.dataset.root;
const [input, list] = [document.getElementById('search'), document.getElementById('found')];
input.addEventListener('input', () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const count = (text, word) => text.split(word).length - 1;
  const score = ({ title, text }) =>
    words.reduce((sum, word) => sum + count(text, word) + 50 * count(title.toLowerCase(), word), 0);
  const found = window.DEED_PAGES.filter(
    ({ text }) => words.length > 0 && words.every((word) => text.includes(word)),
  );
  list.replaceChildren(
    ...found
      .sort((one, two) => score(two) - score(one))
      .slice(0, 8)
      .map(({ path, title }) => {
        const [item, link] = [document.createElement('li'), document.createElement('a')];
        link.href = `${root}${path}.html`;
        link.textContent = title;
        item.append(link);
        return item;
      }),
  );
});
