// What the browser tests ask of a page: an object of functions.
({
  // Texts that are hard to read: those whose contrast with what lies behind them is too low.
  faint() {
    const parse = (text) => {
      const [r, g, b, a = 1] = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
      const scale = text.startsWith("color(") ? 255 : 1;
      return [r * scale, g * scale, b * scale, a];
    };
    const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
    const light = (colour) => {
      const [r, g, b] = colour.map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
      const layers = [];
      for (let each = element; each; each = each.parentElement) {
        const style = getComputedStyle(each);
        if (style.backgroundImage !== "none") return null;
        layers.push(parse(style.backgroundColor));
      }
      return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255, 1]);
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      const text = walker.currentNode.textContent.trim();
      if (!text || element.closest("svg, option, noscript, :disabled, [aria-disabled=true], [aria-hidden=true], .unseen, .skip")) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const style = getComputedStyle(element);
      const ground = behind(element);
      if (!ground) continue;
      let opacity = 1;
      for (let each = element; each; each = each.parentElement) opacity *= Number(getComputedStyle(each).opacity);
      const [r, g, b, a] = parse(style.color);
      const [one, two] = [light(over([r, g, b, a * opacity], ground)), light(ground)];
      const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (contrast < (large ? 3 : 4.5)) found.push(`${contrast.toFixed(2)}: ${text.slice(0, 40)} (${style.color})`);
    }
    return found;
  },

  // What sticks out of a page that has to be scrolled sideways.
  wide() {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const far = [...document.body.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > width + 1);
    return [`${document.documentElement.scrollWidth} > ${width}`,
      ...far.map((each) => `${each.tagName}.${each.className} ${each.textContent.trim().slice(0, 30)}`)];
  },

  // The levels of the headings that are seen, in order.
  headings() {
    const seen = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((each) => each.checkVisibility());
    return seen.map((each) => Number(each.tagName[1]));
  },

  // What the keyboard is to reach, each with a mark: a group of radio buttons counts as one.
  stops() {
    const groups = new Set();
    const wanted = "a[href], button, input, select, textarea, summary, iframe, [tabindex]";
    return [...document.querySelectorAll(wanted)].filter((each) => {
      if (each.tabIndex < 0 || each.disabled || !each.checkVisibility({ visibilityProperty: true })) return false;
      if (each.type !== "radio") return true;
      if (groups.has(each.name)) return false;
      groups.add(each.name);
      return true;
    }).map((each, place) => {
      each.dataset.stop = place;
      return `${place} ${each.tagName} ${each.getAttribute("aria-label") || each.textContent.trim().slice(0, 40) || each.id}`;
    });
  },

  // Where the focus is, and whether one sees it.
  focus() {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const style = getComputedStyle(at);
    const ring = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
    const group = at.type === "radio" ? document.querySelector(`input[name="${CSS.escape(at.name)}"][data-stop]`) : at;
    return { stop: group?.dataset.stop ?? null, ring, what: `${at.tagName} ${at.id} ${at.className} ${at.textContent.trim().slice(0, 40)}` };
  },
})
